import { SaxesParser } from 'saxes';

/** The part of an S3 document that is looked at: texts directly below its root, and one level further down by element. */
export interface S3Document {
  readonly root: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly items: readonly { readonly name: string; readonly fields: Readonly<Record<string, string>> }[];
}

/** Null for what is no XML. */
export function readS3Document(text: string): S3Document | null {
  const open: { name: string; text: string; fields: Record<string, string> }[] = [];
  const items: { name: string; fields: Record<string, string> }[] = [];
  let found: S3Document | null = null;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => void open.push({ name, text: '', fields: {} }));
  parser.on('text', (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on('closetag', () => {
    const { name, text: content, fields } = open.pop()!;
    const parent = open.at(-1);
    if (parent === undefined) found = { root: name, fields, items };
    else if (Object.keys(fields).length === 0) parent.fields[name] = content.trim();
    else if (open.length === 1) items.push({ name, fields });
  });
  try {
    parser.write(text).close();
    return found;
  } catch {
    return null;
  }
}
