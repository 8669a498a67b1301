import { SaxesParser } from 'saxes';
import type { SourceFeature } from '../../../locations/source-table.ts';
import { Problem } from '../../../errors.ts';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';

/** Gets the parts of an XML text in order. Names come without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** May come in several pieces. */
  text(text: string): void;
  close(name: string): void;
}

/**
 * Reads XML that comes in chunks and yields what the handler emits, in memory that does not grow with the text. A
 * document type declaration is refused, so there are no entities but the five of XML itself. Throws
 * `Problem('malformed_file')` with the line where the text is not XML.
 */
export async function* readXml<T>(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  createHandler: (emit: (item: T) => void) => XmlHandler,
): AsyncGenerator<T, void> {
  let found: T[] = [];
  const parser = new SaxesParser({ xmlns: false, position: true });
  const handler = createHandler((item) => found.push(item));
  let depth = 0;
  let textLength = 0;
  /** Characters since the last tag: a text, comment or attribute without an end. */
  let quiet = 0;
  const countText = (text: string): void => {
    textLength += text.length;
    if (textLength > FILE_LIMITS.recordCharacters * 8)
      throw tooLarge(
        `A text in ${what} is too long; wanted at most ${FILE_LIMITS.recordCharacters * 8} characters (line ${parser.line}).`,
      );
    handler.text(text);
  };
  parser.on('doctype', () => {
    throw malformed(
      'xml_doctype',
      `wanted ${what} without a document type declaration, got one (line ${parser.line}); entities are not expanded`,
    );
  });
  parser.on('opentag', ({ name, attributes: named }) => {
    [textLength, attributes, quiet] = [0, 0, 0];
    if (++depth > FILE_LIMITS.xmlDepth)
      throw malformed(
        'nesting_too_deep',
        `wanted at most ${FILE_LIMITS.xmlDepth} elements inside each other in ${what}, got more (line ${parser.line})`,
      );
    handler.open(localName(name), named as Readonly<Record<string, string>>);
  });
  // Looked at while the tag is still open: one without an end would fill the memory.
  let attributes = 0;
  parser.on('attribute', () => {
    if (++attributes > FILE_LIMITS.xmlAttributes)
      throw tooLarge(
        `An element of ${what} has too many attributes; wanted at most ${FILE_LIMITS.xmlAttributes} (line ${parser.line}).`,
      );
  });
  parser.on('text', countText);
  parser.on('cdata', countText);
  parser.on('closetag', ({ name }) => {
    depth--;
    [textLength, quiet] = [0, 0];
    handler.close(localName(name));
  });
  parser.on('error', (error) => {
    throw malformed(
      'invalid_xml',
      `wanted XML in ${what}, got a text that breaks its grammar (line ${parser.line}): ${reasonOf(error.message)}`,
      error,
    );
  });
  try {
    for await (const text of decoded(chunks)) {
      parser.write(text);
      quiet += text.length;
      if (quiet > FILE_LIMITS.recordCharacters * 8)
        throw tooLarge(
          `A text, comment or attribute in ${what} is too long; wanted at most ${FILE_LIMITS.recordCharacters * 8} characters (line ${parser.line}).`,
        );
      if (found.length === 0) continue;
      const ready = found;
      found = [];
      yield* ready;
    }
    parser.close();
  } catch (error) {
    throw error instanceof Problem
      ? error
      : malformed(
          'invalid_xml',
          `wanted XML in ${what}, got a text that cannot be read: ${(error as Error).message}`,
          error,
        );
  }
  yield* found;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function reasonOf(message: string): string {
  return message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
}

const DECLARED = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** Text by its byte order mark or the encoding it declares; UTF-8 otherwise. */
async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let decoder: TextDecoder | null = null;
  for await (const chunk of chunks) {
    decoder ??= decoderFor(chunk);
    yield decoder.decode(chunk, { stream: true });
  }
  if (decoder !== null) yield decoder.decode();
}

function decoderFor(head: Uint8Array): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  const declared =
    DECLARED.exec(
      Buffer.from(head.subarray(0, 300))
        .toString('latin1')
        .replace(/^\xef\xbb\xbf/, ''),
    )?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(declared);
  } catch {
    throw malformed(
      'unsupported_encoding',
      `wanted XML in an encoding that is known here, got ${declared}; save it as UTF-8`,
    );
  }
}

/**
 * The items of a format of its own in XML as rows, numbered from 1. The reader gives `root` too, once it is there; without it the text
 * is of another format, which `refuse` says.
 */
export async function* xmlRows<Root extends string, Item extends object>(
  items: AsyncIterable<Item | Root>,
  root: Root,
  toFeature: (item: Item, row: number) => SourceFeature,
  refuse: () => Error,
): AsyncGenerator<SourceFeature, void> {
  let row = 0;
  let isRoot = false;
  for await (const item of items) {
    if (typeof item === 'string') isRoot ||= item === root;
    else yield toFeature(item, ++row);
  }
  if (!isRoot) throw refuse();
}
