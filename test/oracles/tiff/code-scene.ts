import { seededRandom } from '../../../src/geo/seeded-random.ts';

/** A synthetic raster of 64 codes a pixel, row, column, band, with -128 in the pixels of `masked`. */
export function codeScene(
  width: number,
  height: number,
  seed: number,
  masked: (x: number, y: number) => boolean = () => false,
): Int8Array {
  const random = seededRandom(seed);
  const codes = new Int8Array(width * height * 64);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const isMasked = masked(pixel % width, Math.floor(pixel / width));
    const first = Math.floor(random() * 256);
    for (let band = 0; band < 64; band++)
      codes[pixel * 64 + band] = isMasked ? -128 : ((first + band * 37 + (pixel >> 3)) % 255) - 127;
  }
  return codes;
}

/** Rows in the opposite order. */
export function upsideDown(codes: Int8Array, width: number): Int8Array {
  const row = width * 64;
  const out = new Int8Array(codes.length);
  for (let at = 0; at < codes.length; at += row) out.set(codes.subarray(at, at + row), codes.length - row - at);
  return out;
}

/** The block of 256 x 256 in column `bx`, row `by`, plainly; null when it is all -128. */
export function blockOf(codes: Int8Array, width: number, bx: number, by: number): Int8Array | null {
  const height = codes.length / 64 / width;
  const out = new Int8Array(256 * 256 * 64).fill(-128);
  const columns = Math.min(256, width - bx * 256);
  for (let y = 0; y < Math.min(256, height - by * 256); y++) {
    const from = ((by * 256 + y) * width + bx * 256) * 64;
    out.set(codes.subarray(from, from + columns * 64), y * 256 * 64);
  }
  return out.every((code) => code === -128) ? null : out;
}
