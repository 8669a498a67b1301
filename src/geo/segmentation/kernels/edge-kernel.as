// Edge strength of one row of cells with WebAssembly SIMD, in AssemblyScript.
// `tools/kernels/compile-kernels.ts` compiles it into `edge-kernel.wasm.ts`; a test compiles it again and
// compares. What it computes is written down plainly in `pool-cells.ts` and `edge-strength-plain.ts`; the integers are the same.
// A vector is 64 components of 16 bits: 128 bytes, eight registers. A pixel is 64 codes: 64 bytes, four registers.

const UNIT: f64 = 16256;

// A row of `cells` cells lies in memory as: vectors (128 bytes each), sums of squared distances (u32), flags "has a
// direction" (u8), numbers of distances summed (u8).

@inline
function sumsOf(row: usize, cells: usize): usize {
  return row + 128 * cells;
}
@inline
function validOf(row: usize, cells: usize): usize {
  return row + 132 * cells;
}
@inline
function countsOf(row: usize, cells: usize): usize {
  return row + 133 * cells;
}

/** Eight sums over two pixels of sign(q) * q^2, from their codes side by side (first pixel, second pixel, and so on). */
@inline
function pairOfSquares(codes: v128): v128 {
  // Exact and the same everywhere, although "relaxed": codes other than -128 have an absolute value of 7 bits, and twice
  // 127^2 fits 16 bits. Cells with a code of -128 do not come here unless it has been replaced.
  return i16x8.relaxed_dot_i8x16_i7x16_s(codes, i8x16.abs(codes));
}

/** Half of `a + b`, rounded half up, of signed lanes. */
@inline
function half(a: v128, b: v128): v128 {
  const sign = i16x8.splat(-32768);
  return v128.xor(i16x8.avgr_u(v128.xor(a, sign), v128.xor(b, sign)), sign);
}

/** Half the sum of four pixels, for the lower eight bands of the sixteen in each register. */
@inline
function lowSum(a: v128, b: v128, c: v128, d: v128): v128 {
  return half(
    pairOfSquares(i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)),
    pairOfSquares(i8x16.shuffle(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)),
  );
}

/** The same for the upper eight bands. */
@inline
function highSum(a: v128, b: v128, c: v128, d: v128): v128 {
  return half(
    pairOfSquares(i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)),
    pairOfSquares(i8x16.shuffle(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)),
  );
}

/** The squared length of 16 components in two 64-bit lanes. Four squares of at most (2 * 127^2)^2 fit 32 bits unsigned. */
@inline
function squaredLength(low: v128, high: v128): v128 {
  const sums = i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high));
  return i64x2.add(i64x2.extend_low_i32x4_u(sums), i64x2.extend_high_i32x4_u(sums));
}

@inline
function smallest(a: v128, b: v128, c: v128, d: v128): v128 {
  return i8x16.min_s(i8x16.min_s(a, b), i8x16.min_s(c, d));
}

const NO_DIRECTION: i32 = 0;
const VALID: i32 = 1;
const HAS_NODATA: i32 = 2;

/**
 * Pools the pixels at `p`, `q`, `r`, `s` into a vector of length UNIT at `out`; zeros when they have no direction.
 * Says HAS_NODATA, and leaves `out` alone, when one of their codes is -128.
 */
function poolCell(p: usize, q: usize, r: usize, s: usize, out: usize): i32 {
  let a = v128.load(p);
  let b = v128.load(q);
  let c = v128.load(r);
  let d = v128.load(s);
  let least = smallest(a, b, c, d);
  let sum0 = lowSum(a, b, c, d);
  let sum1 = highSum(a, b, c, d);
  let lengths = squaredLength(sum0, sum1);
  a = v128.load(p, 16);
  b = v128.load(q, 16);
  c = v128.load(r, 16);
  d = v128.load(s, 16);
  least = i8x16.min_s(least, smallest(a, b, c, d));
  let sum2 = lowSum(a, b, c, d);
  let sum3 = highSum(a, b, c, d);
  lengths = i64x2.add(lengths, squaredLength(sum2, sum3));
  a = v128.load(p, 32);
  b = v128.load(q, 32);
  c = v128.load(r, 32);
  d = v128.load(s, 32);
  least = i8x16.min_s(least, smallest(a, b, c, d));
  let sum4 = lowSum(a, b, c, d);
  let sum5 = highSum(a, b, c, d);
  lengths = i64x2.add(lengths, squaredLength(sum4, sum5));
  a = v128.load(p, 48);
  b = v128.load(q, 48);
  c = v128.load(r, 48);
  d = v128.load(s, 48);
  least = i8x16.min_s(least, smallest(a, b, c, d));
  let sum6 = lowSum(a, b, c, d);
  let sum7 = highSum(a, b, c, d);
  lengths = i64x2.add(lengths, squaredLength(sum6, sum7));
  if (v128.any_true(i8x16.eq(least, i8x16.splat(-128)))) return HAS_NODATA;

  let length = sqrt<f64>(<f64>(<i64>i64x2.extract_lane(lengths, 0) + <i64>i64x2.extract_lane(lengths, 1)));
  let shift = 0;
  if (length <= UNIT) {
    if (length == 0) {
      memory.fill(out, 0, 128);
      return NO_DIRECTION;
    }
    while (length <= UNIT) {
      shift++;
      length *= 2;
    }
    sum0 = i16x8.shl(sum0, shift);
    sum1 = i16x8.shl(sum1, shift);
    sum2 = i16x8.shl(sum2, shift);
    sum3 = i16x8.shl(sum3, shift);
    sum4 = i16x8.shl(sum4, shift);
    sum5 = i16x8.shl(sum5, shift);
    sum6 = i16x8.shl(sum6, shift);
    sum7 = i16x8.shl(sum7, shift);
  }
  const fraction = i16x8.splat(<i16>min<i32>(32767, <i32>((32768 * UNIT) / length + 0.5)));
  v128.store(out, i16x8.q15mulr_sat_s(sum0, fraction));
  v128.store(out, i16x8.q15mulr_sat_s(sum1, fraction), 16);
  v128.store(out, i16x8.q15mulr_sat_s(sum2, fraction), 32);
  v128.store(out, i16x8.q15mulr_sat_s(sum3, fraction), 48);
  v128.store(out, i16x8.q15mulr_sat_s(sum4, fraction), 64);
  v128.store(out, i16x8.q15mulr_sat_s(sum5, fraction), 80);
  v128.store(out, i16x8.q15mulr_sat_s(sum6, fraction), 96);
  v128.store(out, i16x8.q15mulr_sat_s(sum7, fraction), 112);
  return VALID;
}

/** The pixel, or 64 zeros for it when one of its codes is -128. */
function orZeros(pixel: usize, zeros: usize): usize {
  const least = smallest(v128.load(pixel), v128.load(pixel, 16), v128.load(pixel, 32), v128.load(pixel, 48));
  return v128.any_true(i8x16.eq(least, i8x16.splat(-128))) ? zeros : pixel;
}

/**
 * Pools two pixel rows at `codes`, one after the other, into the row of cells at `row`.
 * `zeros` points at 64 zero bytes, which stand for a pixel without data.
 */
export function poolRow(codes: usize, cells: usize, row: usize, zeros: usize): void {
  const valid = validOf(row, cells);
  for (let cell: usize = 0; cell < cells; cell++) {
    const p = codes + cell * 128;
    const q = p + 64;
    const r = p + cells * 128;
    const s = r + 64;
    const out = row + cell * 128;
    let state = poolCell(p, q, r, s, out);
    if (state == HAS_NODATA) {
      state = poolCell(orZeros(p, zeros), orZeros(q, zeros), orZeros(r, zeros), orZeros(s, zeros), out);
    }
    store<u8>(valid + cell, state);
  }
}

@inline
function addLanes(lanes: v128): u32 {
  const pairs = i32x4.add(lanes, i8x16.shuffle(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}

@inline
function squaredDistance(a: usize, b: usize): u32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  for (let at: usize = 0; at < 128; at += 32) {
    const first = i16x8.sub(v128.load(a + at), v128.load(b + at));
    const second = i16x8.sub(v128.load(a + at, 16), v128.load(b + at, 16));
    even = i32x4.add(even, i32x4.dot_i16x8_s(first, first));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(second, second));
  }
  return addLanes(i32x4.add(even, odd));
}

/** Adds a squared distance (4 UNIT^2 at most, so four of them fit 32 bits unsigned) to a cell's sum and count. */
@inline
function addTo(sums: usize, counts: usize, cell: usize, distance: u32): void {
  store<u32>(sums + 4 * cell, load<u32>(sums + 4 * cell) + distance);
  store<u8>(counts + cell, load<u8>(counts + cell) + 1);
}

/** Distances between neighbours in one row of cells, added to the sums of both. */
export function linkAcross(cells: usize, row: usize): void {
  const valid = validOf(row, cells);
  const sums = sumsOf(row, cells);
  const counts = countsOf(row, cells);
  for (let cell: usize = 1; cell < cells; cell++) {
    if (!(load<u8>(valid + cell) & load<u8>(valid + cell - 1))) continue;
    const at = row + cell * 128;
    const distance = squaredDistance(at - 128, at);
    addTo(sums, counts, cell - 1, distance);
    addTo(sums, counts, cell, distance);
  }
}

/** Distances between a row of cells and the row below it, added to the sums of both. */
export function linkDown(cells: usize, upper: usize, lower: usize): void {
  const validA = validOf(upper, cells);
  const validB = validOf(lower, cells);
  for (let cell: usize = 0; cell < cells; cell++) {
    if (!(load<u8>(validA + cell) & load<u8>(validB + cell))) continue;
    const distance = squaredDistance(upper + cell * 128, lower + cell * 128);
    addTo(sumsOf(upper, cells), countsOf(upper, cells), cell, distance);
    addTo(sumsOf(lower, cells), countsOf(lower, cells), cell, distance);
  }
}

/** Edge strengths of a row whose sums are complete, as 32-bit floats at `out`; sums and counts are cleared. */
export function finishRow(cells: usize, row: usize, out: usize): void {
  const valid = validOf(row, cells);
  const sums = sumsOf(row, cells);
  const counts = countsOf(row, cells);
  for (let cell: usize = 0; cell < cells; cell++) {
    const count = <f64>load<u8>(counts + cell);
    const mean = count > 0 ? <f64>load<u32>(sums + 4 * cell) / (count * (2 * UNIT * UNIT)) : 0;
    store<f32>(out + 4 * cell, load<u8>(valid + cell) ? <f32>mean : f32.NaN);
  }
  memory.fill(sums, 0, 4 * cells);
  memory.fill(counts, 0, cells);
}
