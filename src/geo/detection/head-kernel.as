// A detection head over a block of pixels with WebAssembly SIMD, in AssemblyScript.
// `tools/kernels/compile-kernels.ts` compiles it into `head-kernel.wasm.ts`; a test compiles it again and compares.
// What it computes is written down plainly in `evaluate-plain.ts`. Products and sums are rounded apart, never fused, so
// that every machine gives the same bits. Numbers are 32-bit floats; `stride` counts floats from one pixel to the next.

const BANDS: usize = 64;

/**
 * Looks up each code of `pixels` pixels: where the weights of its bin begin inside a tile of the first layer, in bytes
 * (`bins`: 32 bits for each band and code), and its value (`values`: a float for each code).
 */
export function lookUp(codes: usize, pixels: usize, bins: usize, values: usize, rows: usize, xs: usize): void {
  for (let pixel: usize = 0; pixel < pixels; pixel++) {
    for (let band: usize = 0; band < BANDS; band++) {
      const at = pixel * BANDS + band;
      const code = <usize>load<u8>(codes + at);
      store<u32>(rows + 4 * at, load<u32>(bins + 4 * (band * 256 + code)));
      store<f32>(xs + 4 * at, load<f32>(values + 4 * code));
    }
  }
}

/**
 * Sums of the first layer. Its outputs come in tiles of 16: `tile` bytes with the weights of every bin (64 bytes each),
 * then those of the 64 values (64 bytes each), then the bias (64 bytes). An even number of pixels, two at a time.
 */
export function firstLayer(pixels: usize, tiles: usize, weights: usize, tile: usize, rows: usize, xs: usize, out: usize, stride: usize): void {
  for (let t: usize = 0; t < tiles; t++) {
    const bins = weights + t * tile;
    const bias = bins + tile - 64;
    const slopes = bias - BANDS * 64;
    for (let pixel: usize = 0; pixel < pixels; pixel += 2) {
      let a0 = v128.load(bias);
      let a1 = v128.load(bias, 16);
      let a2 = v128.load(bias, 32);
      let a3 = v128.load(bias, 48);
      let b0 = a0;
      let b1 = a1;
      let b2 = a2;
      let b3 = a3;
      let row = rows + pixel * BANDS * 4;
      let x = xs + pixel * BANDS * 4;
      for (let slope = slopes; slope < bias; slope += 64) {
        const p = bins + <usize>load<u32>(row);
        const q = bins + <usize>load<u32>(row, BANDS * 4);
        const u = v128.load_splat<f32>(x);
        const v = v128.load_splat<f32>(x, BANDS * 4);
        const s0 = v128.load(slope);
        const s1 = v128.load(slope, 16);
        a0 = f32x4.add(a0, f32x4.add(v128.load(p), f32x4.mul(s0, u)));
        b0 = f32x4.add(b0, f32x4.add(v128.load(q), f32x4.mul(s0, v)));
        a1 = f32x4.add(a1, f32x4.add(v128.load(p, 16), f32x4.mul(s1, u)));
        b1 = f32x4.add(b1, f32x4.add(v128.load(q, 16), f32x4.mul(s1, v)));
        const s2 = v128.load(slope, 32);
        const s3 = v128.load(slope, 48);
        a2 = f32x4.add(a2, f32x4.add(v128.load(p, 32), f32x4.mul(s2, u)));
        b2 = f32x4.add(b2, f32x4.add(v128.load(q, 32), f32x4.mul(s2, v)));
        a3 = f32x4.add(a3, f32x4.add(v128.load(p, 48), f32x4.mul(s3, u)));
        b3 = f32x4.add(b3, f32x4.add(v128.load(q, 48), f32x4.mul(s3, v)));
        row += 4;
        x += 4;
      }
      const first = out + 4 * (pixel * stride + t * 16);
      const second = first + 4 * stride;
      v128.store(first, a0);
      v128.store(first, a1, 16);
      v128.store(first, a2, 32);
      v128.store(first, a3, 48);
      v128.store(second, b0);
      v128.store(second, b1, 16);
      v128.store(second, b2, 32);
      v128.store(second, b3, 48);
    }
  }
}

/**
 * Sums of a layer in which every input reaches every output. Outputs come in tiles of 8: the weights of each input (32
 * bytes each), then the bias (32 bytes). Pixels in fours.
 */
export function denseLayer(pixels: usize, inputs: usize, tiles: usize, weights: usize, from: usize, fromStride: usize, out: usize, stride: usize): void {
  const step = 4 * fromStride;
  for (let t: usize = 0; t < tiles; t++) {
    const tile = weights + t * (inputs + 1) * 32;
    const bias = tile + inputs * 32;
    for (let pixel: usize = 0; pixel < pixels; pixel += 4) {
      let a0 = v128.load(bias);
      let a1 = v128.load(bias, 16);
      let b0 = a0;
      let b1 = a1;
      let c0 = a0;
      let c1 = a1;
      let d0 = a0;
      let d1 = a1;
      let a = from + pixel * step;
      let b = a + step;
      let c = b + step;
      let d = c + step;
      for (let weight = tile; weight < bias; weight += 32) {
        const w0 = v128.load(weight);
        const w1 = v128.load(weight, 16);
        let x = v128.load_splat<f32>(a);
        a0 = f32x4.add(a0, f32x4.mul(w0, x));
        a1 = f32x4.add(a1, f32x4.mul(w1, x));
        x = v128.load_splat<f32>(b);
        b0 = f32x4.add(b0, f32x4.mul(w0, x));
        b1 = f32x4.add(b1, f32x4.mul(w1, x));
        x = v128.load_splat<f32>(c);
        c0 = f32x4.add(c0, f32x4.mul(w0, x));
        c1 = f32x4.add(c1, f32x4.mul(w1, x));
        x = v128.load_splat<f32>(d);
        d0 = f32x4.add(d0, f32x4.mul(w0, x));
        d1 = f32x4.add(d1, f32x4.mul(w1, x));
        a += 4;
        b += 4;
        c += 4;
        d += 4;
      }
      let to = out + 4 * (pixel * stride + t * 8);
      v128.store(to, a0);
      v128.store(to, a1, 16);
      to += 4 * stride;
      v128.store(to, b0);
      v128.store(to, b1, 16);
      to += 4 * stride;
      v128.store(to, c0);
      v128.store(to, c1, 16);
      to += 4 * stride;
      v128.store(to, d0);
      v128.store(to, d1, 16);
    }
  }
}

/** e^x within 2e-7 of it, for x up to 40 either way: 2^n times 2^f with f from -0.5 to 0.5 by its Taylor series. */
@inline
function exp(x: v128): v128 {
  const y = f32x4.mul(x, f32x4.splat(1.4426950408889634));
  const n = f32x4.nearest(y);
  const f = f32x4.mul(f32x4.sub(y, n), f32x4.splat(0.6931471805599453));
  let sum = f32x4.splat(1.0 / 5040.0);
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(1.0 / 720.0));
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(1.0 / 120.0));
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(1.0 / 24.0));
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(1.0 / 6.0));
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(0.5));
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(1.0));
  sum = f32x4.add(f32x4.mul(sum, f), f32x4.splat(1.0));
  return f32x4.mul(sum, i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23));
}

/** 1 - 2 / (e^2x + 1); beyond 10 it is 1 in these numbers. */
@inline
function tanh(x: v128): v128 {
  const bounded = f32x4.max(f32x4.splat(-10), f32x4.min(f32x4.splat(10), x));
  const power = exp(f32x4.add(bounded, bounded));
  return f32x4.sub(f32x4.splat(1), f32x4.div(f32x4.splat(2), f32x4.add(power, f32x4.splat(1))));
}

/** Replaces each of `count` floats, a multiple of 4. Kind 0 is tanh, 1 the GELU with tanh, 2 the larger of it and 0. */
export function activate(kind: i32, at: usize, count: usize): void {
  const end = at + 4 * count;
  if (kind == 0) {
    for (; at < end; at += 16) v128.store(at, tanh(v128.load(at)));
  } else if (kind == 1) {
    for (; at < end; at += 16) {
      const x = v128.load(at);
      const cubic = f32x4.mul(f32x4.mul(f32x4.mul(x, x), x), f32x4.splat(0.044715));
      const bent = tanh(f32x4.mul(f32x4.splat(0.7978845608028654), f32x4.add(x, cubic)));
      v128.store(at, f32x4.mul(f32x4.mul(f32x4.splat(0.5), x), f32x4.add(f32x4.splat(1), bent)));
    }
  } else {
    for (; at < end; at += 16) v128.store(at, f32x4.max(f32x4.splat(0), v128.load(at)));
  }
}
