import { brotliDecompressSync } from 'node:zlib';
import { createGlyphTable } from './glyph-table.ts';
import { createBytes, type Bytes } from './bytes.ts';

const WOFF2 = 0x774f4632;
/** Bytes of the header of a WOFF 2 file, and of header and directory entry of an OpenType file. */
const WOFF2_HEADER = 48;
const HEADER = 12;
const ENTRY = 16;
/** The largest OpenType file that is unpacked. */
const MOST = 40_000_000;

/** Names of tables by the number a directory gives in place of them (W3C Recommendation of WOFF 2, section 5.2). */
const TAGS =
  'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill'
    .match(/.{4} ?/g)!
    .map((tag) => tag.slice(0, 4));
const TAG_FOLLOWS = 63;
/** For `glyf` and `loca` the number that says "as it is"; for any other table it is 0. */
const PLAIN_GLYPHS = 3;

interface Table {
  readonly tag: string;
  readonly isTransformed: boolean;
  /** In the stream. */
  readonly size: number;
}

/**
 * The OpenType file in a WOFF 2 file, with its outlines as OpenType has them. Throws for anything else. Its checksums are 0:
 * it is read by a program that writes it again.
 */
export function woff2ToSfnt(woff2: Uint8Array): Buffer {
  const header = createBytes(woff2);
  if (header.u32() !== WOFF2) throw new Error('the font is no WOFF 2 file');
  const flavor = header.u32();
  header.skip(4);
  const count = header.u16();
  header.skip(2);
  if (header.u32() > MOST) throw new Error(`the font holds more than ${MOST} bytes`);
  const packed = header.u32();
  header.skip(WOFF2_HEADER - 24);
  const tables = Array.from({ length: count }, () => readTable(header));
  const stream = createBytes(brotliDecompressSync(header.take(packed), { maxOutputLength: MOST }));
  const contents = new Map(tables.map(({ tag, size }) => [tag, stream.take(size)]));
  const transformed = new Set(tables.filter(({ isTransformed }) => isTransformed).map(({ tag }) => tag));
  if (transformed.has('glyf')) restoreGlyphs(contents, transformed.has('hmtx'));
  return written(flavor, contents);
}

function readTable(bytes: Bytes): Table {
  const flags = bytes.u8();
  const number = flags & 0x3f;
  const tag = number === TAG_FOLLOWS ? Buffer.from(bytes.take(4)).toString('latin1') : TAGS[number]!;
  const version = flags >> 6;
  const isTransformed = tag === 'glyf' || tag === 'loca' ? version !== PLAIN_GLYPHS : version !== 0;
  if (isTransformed && !['glyf', 'loca', 'hmtx'].includes(tag))
    throw new Error(`the table ${tag} of the font is packed in an unknown way`);
  const size = base128(bytes);
  return { tag, isTransformed, size: isTransformed ? base128(bytes) : size };
}

/** UIntBase128: seven bits a byte, the highest first. */
function base128(bytes: Bytes): number {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes.u8();
    value = value * 128 + (byte & 0x7f);
    if (byte < 128) return value;
  }
  throw new Error('a number of the font is longer than five bytes');
}

/** Puts the outlines, where they begin, and the side bearings that were left out in place of what stands for them. */
function restoreGlyphs(contents: Map<string, Uint8Array>, bearings: boolean): void {
  const { glyf, loca, lefts } = createGlyphTable(contents.get('glyf')!);
  contents.set('glyf', glyf);
  contents.set('loca', loca);
  const head = Buffer.from(contents.get('head') ?? []);
  head.writeInt16BE(1, 50);
  contents.set('head', head);
  if (!bearings) return;
  const metrics = createBytes(contents.get('hhea') ?? new Uint8Array())
    .skip(34)
    .u16();
  contents.set('hmtx', restoreBearings(createBytes(contents.get('hmtx')!), metrics, lefts));
}

/** Left side bearings are those of the outlines where the table leaves them out (section 5.4). */
function restoreBearings(packed: Bytes, metrics: number, lefts: Int16Array): Buffer {
  const flags = packed.u8();
  const advances = Array.from({ length: metrics }, () => packed.u16());
  const own = Array.from({ length: metrics }, (_, i) => ((flags & 1) === 0 ? packed.i16() : lefts[i]!));
  const rest = Array.from({ length: lefts.length - metrics }, (_, i) =>
    (flags & 2) === 0 ? packed.i16() : lefts[metrics + i]!,
  );
  const out = Buffer.alloc(metrics * 4 + rest.length * 2);
  for (let i = 0; i < metrics; i++) {
    out.writeUInt16BE(advances[i]!, i * 4);
    out.writeInt16BE(own[i]!, i * 4 + 2);
  }
  for (const [i, left] of rest.entries()) out.writeInt16BE(left, metrics * 4 + i * 2);
  return out;
}

function written(flavor: number, contents: ReadonlyMap<string, Uint8Array>): Buffer {
  const count = contents.size;
  const tables = [...contents].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const size = tables.reduce((sum, [, { length }]) => sum + padded(length), HEADER + count * ENTRY);
  const out = Buffer.alloc(size);
  const power = Math.floor(Math.log2(Math.max(1, count)));
  out.writeUInt32BE(flavor, 0);
  out.writeUInt16BE(count, 4);
  out.writeUInt16BE(16 << power, 6);
  out.writeUInt16BE(power, 8);
  out.writeUInt16BE(Math.max(0, count * 16 - (16 << power)), 10);
  let offset = HEADER + count * ENTRY;
  for (const [i, [tag, content]] of tables.entries()) {
    const at = HEADER + i * ENTRY;
    out.write(tag, at, 'latin1');
    out.writeUInt32BE(offset, at + 8);
    out.writeUInt32BE(content.length, at + 12);
    out.set(content, offset);
    offset += padded(content.length);
  }
  return out;
}

function padded(length: number): number {
  return (length + 3) & ~3;
}
