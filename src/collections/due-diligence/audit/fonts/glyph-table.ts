import { createBytes, type Bytes } from './bytes.ts';

/** Outlines as OpenType has them. */
interface GlyphTable {
  readonly glyf: Buffer;
  /** Where each begins, in four bytes each. */
  readonly loca: Buffer;
  /** The smallest x of each. */
  readonly lefts: Int16Array;
}

/** The streams of a transformed `glyf` table. */
interface Streams {
  readonly points: Bytes;
  readonly flags: Bytes;
  readonly glyphs: Bytes;
  readonly composites: Bytes;
  readonly boxes: Bytes;
  readonly instructions: Bytes;
}

const ON_CURVE = 1;
const OVERLAP = 0x40;
/** Bits of a part of a composite glyph. */
const PART = { words: 1, scale: 8, more: 0x20, twoScales: 0x40, matrix: 0x80, instructions: 0x100 } as const;

/** The `glyf` table of a WOFF 2 file, whose numbers stand in streams by kind, as OpenType has it (section 5.1). */
export function createGlyphTable(transformed: Uint8Array): GlyphTable {
  const head = createBytes(transformed).skip(2);
  const options = head.u16();
  const count = head.u16();
  head.skip(2);
  const sizes = Array.from({ length: 7 }, () => head.u32());
  const [contours, points, flags, glyphs, composites, boxes, instructions] = sizes.map((size) =>
    createBytes(head.take(size)),
  ) as [Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes];
  const overlaps = (options & 1) === 0 ? null : head.take((count + 7) >> 3);
  const boxed = boxes.take(((count + 31) >> 5) << 2);
  const streams: Streams = { points, flags, glyphs, composites, boxes, instructions };
  const loca = Buffer.alloc((count + 1) * 4);
  const lefts = new Int16Array(count);
  const out: Buffer[] = [];
  let size = 0;
  for (let glyph = 0; glyph < count; glyph++) {
    const rings = contours.i16();
    const box = isSet(boxed, glyph) ? boxes.take(8) : null;
    const overlaps_ = overlaps !== null && isSet(overlaps, glyph);
    const bytes =
      rings === 0
        ? Buffer.alloc(0)
        : rings < 0
          ? compositeGlyph(streams, box)
          : simpleGlyph(streams, rings, box, overlaps_);
    if (bytes.length > 0) lefts[glyph] = bytes.readInt16BE(2);
    out.push(bytes);
    size += bytes.length;
    loca.writeUInt32BE(size, (glyph + 1) * 4);
  }
  return { glyf: Buffer.concat(out), loca, lefts };
}

function isSet(bits: Uint8Array, index: number): boolean {
  return (bits[index >> 3]! & (0x80 >> (index & 7))) !== 0;
}

function compositeGlyph({ composites, glyphs, instructions }: Streams, box: Uint8Array | null): Buffer {
  if (box === null) throw new Error('a composite glyph of the font has no box');
  const parts: Uint8Array[] = [Buffer.from([0xff, 0xff]), box];
  let [flags, hasInstructions] = [0, false];
  do {
    const head = composites.take(4);
    flags = (head[0]! << 8) | head[1]!;
    hasInstructions ||= (flags & PART.instructions) !== 0;
    const scales =
      (flags & PART.scale) !== 0 ? 2 : (flags & PART.twoScales) !== 0 ? 4 : (flags & PART.matrix) !== 0 ? 8 : 0;
    parts.push(head, composites.take(((flags & PART.words) === 0 ? 2 : 4) + scales));
  } while ((flags & PART.more) !== 0);
  if (hasInstructions) {
    const size = glyphs.u255();
    parts.push(Buffer.from([size >> 8, size & 255]), instructions.take(size));
  }
  return evened(Buffer.concat(parts));
}

function simpleGlyph(
  { points, flags, glyphs, instructions }: Streams,
  rings: number,
  box: Uint8Array | null,
  overlaps: boolean,
): Buffer {
  const ends: number[] = [];
  for (let ring = 0, total = 0; ring < rings; ring++) {
    total += points.u255();
    ends.push(total - 1);
  }
  const count = ends.at(-1)! + 1;
  const [marks, xs, ys]: [number[], number[], number[]] = [[], [], []];
  let [x, y, left, low, right, high] = [0, 0, Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < count; i++) {
    const flag = flags.u8();
    const [dx, dy] = step(flag & 0x7f, glyphs);
    x += dx;
    y += dy;
    [left, right, low, high] = [Math.min(left, x), Math.max(right, x), Math.min(low, y), Math.max(high, y)];
    // The highest bit of the stream is set for points off the curve.
    const mark = (flag < 128 ? ON_CURVE : 0) | (i === 0 && overlaps ? OVERLAP : 0);
    marks.push(mark | delta(dx, 0x02, 0x10, xs) | delta(dy, 0x04, 0x20, ys));
  }
  const size = glyphs.u255();
  const code = instructions.take(size);
  const head = Buffer.alloc(10 + rings * 2 + 2);
  head.writeInt16BE(rings, 0);
  if (box !== null) head.set(box, 2);
  else
    for (const [i, value] of [left, low, right, high].entries())
      head.writeInt16BE(Number.isFinite(value) ? value : 0, 2 + i * 2);
  for (const [i, end] of ends.entries()) head.writeUInt16BE(end, 10 + i * 2);
  head.writeUInt16BE(size, 10 + rings * 2);
  return evened(Buffer.concat([head, code, Buffer.from(marks), Buffer.from(xs), Buffer.from(ys)]));
}

/** The step to the next point by the code of its flag: signs and sizes of both numbers (section 5.2, table of triplets). */
function step(code: number, glyphs: Bytes): readonly [dx: number, dy: number] {
  const signed = (bit: number, value: number): number => ((code & bit) === 0 ? -value : value);
  if (code < 10) return [0, signed(1, ((code & 14) << 7) + glyphs.u8())];
  if (code < 20) return [signed(1, (((code - 10) & 14) << 7) + glyphs.u8()), 0];
  if (code < 84) {
    const [at, both] = [code - 20, glyphs.u8()];
    return [signed(1, 1 + (at & 0x30) + (both >> 4)), signed(2, 1 + ((at & 0x0c) << 2) + (both & 15))];
  }
  if (code < 120) {
    const at = code - 84;
    const [across, up] = [glyphs.u8(), glyphs.u8()];
    return [signed(1, 1 + (Math.floor(at / 12) << 8) + across), signed(2, 1 + (((at % 12) >> 2) << 8) + up)];
  }
  if (code < 124) {
    const [first, middle, last] = [glyphs.u8(), glyphs.u8(), glyphs.u8()];
    return [signed(1, (first << 4) + (middle >> 4)), signed(2, ((middle & 15) << 8) + last)];
  }
  return [signed(1, glyphs.u16()), signed(2, glyphs.u16())];
}

/** Writes a step in as few bytes as it takes; its bits of the flag. `small`: one byte, whose sign is `same`, which else says "0". */
function delta(value: number, small: number, same: number, out: number[]): number {
  if (value === 0) return same;
  if (Math.abs(value) < 256) {
    out.push(Math.abs(value));
    return small | (value > 0 ? same : 0);
  }
  out.push((value >> 8) & 255, value & 255);
  return 0;
}

/** Outlines begin at multiples of four bytes. */
function evened(glyph: Buffer): Buffer {
  return glyph.length % 4 === 0 ? glyph : Buffer.concat([glyph, Buffer.alloc(4 - (glyph.length % 4))]);
}
