// From bands that lie apart to the bands of a pixel side by side, with WebAssembly SIMD, in AssemblyScript.
// `tools/kernels/compile-kernels.ts` compiles it into `interleave-kernel.wasm.ts`; a test compiles it again
// and compares. The memory is given from outside and shared, so that several threads work on the same planes.

/** Codes of a pixel. */
const BANDS: usize = 64;

/** Bytes 0, 0, 1, 1 up to 7, 7 of both in turn. */
@inline
function low(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/** Bytes 8 to 15 of both in turn. */
@inline
function high(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** Sixteen pixels of sixteen bands: four perfect shuffles turn rows into columns. */
@inline
function turn(src: usize, stride: usize, out: usize): void {
  const a0 = v128.load(src);
  const a1 = v128.load(src + stride);
  const a2 = v128.load(src + 2 * stride);
  const a3 = v128.load(src + 3 * stride);
  const a4 = v128.load(src + 4 * stride);
  const a5 = v128.load(src + 5 * stride);
  const a6 = v128.load(src + 6 * stride);
  const a7 = v128.load(src + 7 * stride);
  const a8 = v128.load(src + 8 * stride);
  const a9 = v128.load(src + 9 * stride);
  const a10 = v128.load(src + 10 * stride);
  const a11 = v128.load(src + 11 * stride);
  const a12 = v128.load(src + 12 * stride);
  const a13 = v128.load(src + 13 * stride);
  const a14 = v128.load(src + 14 * stride);
  const a15 = v128.load(src + 15 * stride);

  const b0 = low(a0, a8);
  const b1 = high(a0, a8);
  const b2 = low(a1, a9);
  const b3 = high(a1, a9);
  const b4 = low(a2, a10);
  const b5 = high(a2, a10);
  const b6 = low(a3, a11);
  const b7 = high(a3, a11);
  const b8 = low(a4, a12);
  const b9 = high(a4, a12);
  const b10 = low(a5, a13);
  const b11 = high(a5, a13);
  const b12 = low(a6, a14);
  const b13 = high(a6, a14);
  const b14 = low(a7, a15);
  const b15 = high(a7, a15);

  const c0 = low(b0, b8);
  const c1 = high(b0, b8);
  const c2 = low(b1, b9);
  const c3 = high(b1, b9);
  const c4 = low(b2, b10);
  const c5 = high(b2, b10);
  const c6 = low(b3, b11);
  const c7 = high(b3, b11);
  const c8 = low(b4, b12);
  const c9 = high(b4, b12);
  const c10 = low(b5, b13);
  const c11 = high(b5, b13);
  const c12 = low(b6, b14);
  const c13 = high(b6, b14);
  const c14 = low(b7, b15);
  const c15 = high(b7, b15);

  const d0 = low(c0, c8);
  const d1 = high(c0, c8);
  const d2 = low(c1, c9);
  const d3 = high(c1, c9);
  const d4 = low(c2, c10);
  const d5 = high(c2, c10);
  const d6 = low(c3, c11);
  const d7 = high(c3, c11);
  const d8 = low(c4, c12);
  const d9 = high(c4, c12);
  const d10 = low(c5, c13);
  const d11 = high(c5, c13);
  const d12 = low(c6, c14);
  const d13 = high(c6, c14);
  const d14 = low(c7, c15);
  const d15 = high(c7, c15);

  const e0 = low(d0, d8);
  const e1 = high(d0, d8);
  const e2 = low(d1, d9);
  const e3 = high(d1, d9);
  const e4 = low(d2, d10);
  const e5 = high(d2, d10);
  const e6 = low(d3, d11);
  const e7 = high(d3, d11);
  const e8 = low(d4, d12);
  const e9 = high(d4, d12);
  const e10 = low(d5, d13);
  const e11 = high(d5, d13);
  const e12 = low(d6, d14);
  const e13 = high(d6, d14);
  const e14 = low(d7, d15);
  const e15 = high(d7, d15);

  v128.store(out, e0, 0);
  v128.store(out, e1, 64);
  v128.store(out, e2, 128);
  v128.store(out, e3, 192);
  v128.store(out, e4, 256);
  v128.store(out, e5, 320);
  v128.store(out, e6, 384);
  v128.store(out, e7, 448);
  v128.store(out, e8, 512);
  v128.store(out, e9, 576);
  v128.store(out, e10, 640);
  v128.store(out, e11, 704);
  v128.store(out, e12, 768);
  v128.store(out, e13, 832);
  v128.store(out, e14, 896);
  v128.store(out, e15, 960);

}


/**
 * A row of pixels from 64 planes, `stride` bytes from one to the next, to 64 bytes a pixel. Reads and writes up to 15
 * pixels more than it is asked for, so that there is no rest to treat.
 */
export function interleaveRow(src: usize, stride: usize, pixels: usize, out: usize): void {
  for (let x: usize = 0; x < pixels; x += 16) {
    for (let band: usize = 0; band < BANDS; band += 16) {
      turn(src + x + band * stride, stride, out + x * BANDS + band);
    }
  }
}

/** Whether any of so many bytes, a multiple of 16, is something else than -128. */
export function holdsData(at: usize, bytes: usize): bool {
  const masked = i8x16.splat(-128);
  for (let end = at + bytes; at < end; at += 16) {
    if (v128.any_true(v128.xor(v128.load(at), masked))) return true;
  }
  return false;
}
