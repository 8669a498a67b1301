import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../../..');
/** All fonts of the audit trail in one file, which `npm ci` and `npm pack` make of the packages of `tools/fonts`. */
export const FONT_PACK: string = join(ROOT, 'dist/fonts.pack');
const MAGIC = 'firstmile fonts 1';
/** The number after the magic word that says how long the index is. */
const NUMBER = 4;

/** A WOFF 2 file in the pack: where it begins after the index, and its bytes. */
type Span = readonly [offset: number, bytes: number];

/** The letters of one script, or some of the Chinese characters. */
export interface PackedFont {
  readonly family: string;
  readonly subset: string;
  /** What it has, as CSS writes it: `U+1780-17FF,U+25CC`. */
  readonly ranges: string;
  /** One file for every weight, or one for each. */
  readonly files: { readonly variable: Span } | { readonly 400: Span; readonly 600: Span };
}

interface FontPack {
  /** Of what it was made. */
  readonly key: string;
  /** In the order in which they are searched for a letter. */
  readonly fonts: readonly PackedFont[];
  read(span: Span): Buffer;
}

let opened: FontPack | null = null;

/** The pack of this installation. Throws where there is none, with what makes it. */
export function fontPack(): FontPack {
  return (opened ??= readFontPack(FONT_PACK));
}

/** Reads the index of a pack. Throws for anything else. */
export function readFontPack(path: string): FontPack {
  const file = openFile(path);
  try {
    const head = Buffer.alloc(MAGIC.length + NUMBER);
    readSync(file, head, 0, head.length, 0);
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error(`${path} is no pack of fonts`);
    const index = Buffer.alloc(head.readUInt32BE(MAGIC.length));
    readSync(file, index, 0, index.length, head.length);
    const { key, fonts } = JSON.parse(index.toString('utf8')) as Pick<FontPack, 'key' | 'fonts'>;
    const start = head.length + index.length;
    return { key, fonts, read: ([offset, bytes]) => readSpan(path, start + offset, bytes) };
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new Error('The fonts of the audit trail are not there; npm run build:fonts makes them.', { cause: error });
  }
}

function readSpan(path: string, position: number, bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, out, 0, bytes, position) < bytes) throw new Error(`${path} ends early`);
    return out;
  } finally {
    closeSync(file);
  }
}

/** The bytes of a pack. `read` gives the WOFF 2 file of a name. */
export function fontPackBytes(
  key: string,
  fonts: readonly (Omit<PackedFont, 'files'> & { readonly files: Readonly<Record<string, string>> })[],
  read: (path: string) => Buffer = readFileSync,
): Buffer {
  const files: Buffer[] = [];
  let offset = 0;
  const add = (path: string): Span => {
    const bytes = read(path);
    files.push(bytes);
    offset += bytes.length;
    return [offset - bytes.length, bytes.length];
  };
  const packed = fonts.map((font) => ({
    ...font,
    files: Object.fromEntries(Object.entries(font.files).map(([weight, path]) => [weight, add(path)])),
  }));
  const index = Buffer.from(JSON.stringify({ key, fonts: packed }));
  const head = Buffer.alloc(MAGIC.length + NUMBER);
  head.write(MAGIC, 'latin1');
  head.writeUInt32BE(index.length, MAGIC.length);
  return Buffer.concat([head, index, ...files]);
}
