/** An element to be written: its name with prefix, its text or children in order, and its attributes. */
export type XmlElement = readonly [
  name: string,
  content: string | readonly (XmlElement | null)[],
  attributes?: Readonly<Record<string, string>>,
];

/** Characters that XML 1.0 has no way to write: controls, and two that are not characters; `isXmlText` adds lone surrogates. */
// oxlint-disable-next-line no-control-regex -- the controls are what is looked for
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** A carriage return is escaped, because a reader turns a plain one into a line feed. */
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Whether XML can hold the text. */
export function isXmlText(text: string): boolean {
  return text.isWellFormed() && !NOT_XML.test(text);
}

/** The element as text, without a declaration. Null children are left out. @throws Error for a text that XML cannot hold. */
export function writeXml(element: XmlElement): string {
  const out: string[] = [];
  writeInto(out, element);
  return out.join('');
}

function writeInto(out: string[], [name, content, attributes = {}]: XmlElement): void {
  out.push('<', name);
  for (const [key, value] of Object.entries(attributes)) out.push(' ', key, '="', escaped(value, /[&<>"\r\n\t]/g), '"');
  out.push('>');
  if (typeof content === 'string') out.push(escaped(content, /[&<>\r]/g));
  else for (const child of content) if (child !== null) writeInto(out, child);
  out.push('</', name, '>');
}

function escaped(text: string, which: RegExp): string {
  if (!isXmlText(text)) throw new Error('wanted text that XML can hold, got a control character or half of a pair');
  return text.replace(which, (character) => ESCAPES[character]!);
}
