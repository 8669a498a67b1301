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

// What a logistic regression says of cells.

/** Adds to the sums of two cells what eight bands weigh, band after band, so that each sum is that of plain code. */
@inline
function addBands(sums: v128, a: usize, b: usize, weights: usize): v128 {
  const first = v128.load(a);
  const second = v128.load(b);
  const low = i8x16.shuffle(first, second, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  const high = i8x16.shuffle(first, second, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
  sums = addTwoBands(sums, i32x4.extend_low_i16x8_s(low), weights);
  sums = addTwoBands(sums, i32x4.extend_high_i16x8_s(low), weights + 16);
  sums = addTwoBands(sums, i32x4.extend_low_i16x8_s(high), weights + 32);
  return addTwoBands(sums, i32x4.extend_high_i16x8_s(high), weights + 48);
}

/** `bands` holds one band of both cells, then the next one of both. */
@inline
function addTwoBands(sums: v128, bands: v128, weights: usize): v128 {
  sums = f64x2.add(sums, f64x2.mul(f64x2.convert_low_i32x4_s(bands), v128.load64_splat(weights)));
  const next = i8x16.shuffle(bands, bands, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
  return f64x2.add(sums, f64x2.mul(f64x2.convert_low_i32x4_s(next), v128.load64_splat(weights, 8)));
}

/**
 * e^x of two lanes, -700 to 700, to the bit as `Math.exp` of V8 has it, which is `exp` of fdlibm (Sun Microsystems, 1993):
 * x = k ln 2 + r, and a polynomial for e^r. Its branches give here what the general way gives, but for those at the end.
 */
@inline
function exponential(x: v128): v128 {
  const upper = v128.and(i64x2.shr_u(x, 32), i64x2.splat(0x7fffffff));
  const reduced = i64x2.gt_s(upper, i64x2.splat(0x3fd62e42));
  const rounding = v128.or(f64x2.splat(0.5), v128.and(x, f64x2.splat(-0.0)));
  const turns = f64x2.trunc(f64x2.add(f64x2.mul(x, f64x2.splat(1.44269504088896338700)), rounding));
  const k = v128.and(turns, reduced);
  const high = f64x2.sub(x, f64x2.mul(k, f64x2.splat(6.93147180369123816490e-1)));
  const low = f64x2.mul(k, f64x2.splat(1.90821492927058770002e-10));
  const r = f64x2.sub(high, low);
  const t = f64x2.mul(r, r);
  let p = f64x2.add(f64x2.splat(-1.65339022054652515390e-6), f64x2.mul(t, f64x2.splat(4.13813679705723846039e-8)));
  p = f64x2.add(f64x2.splat(6.61375632143793436117e-5), f64x2.mul(t, p));
  p = f64x2.add(f64x2.splat(-2.77777777770155933842e-3), f64x2.mul(t, p));
  p = f64x2.add(f64x2.splat(1.66666666666666019037e-1), f64x2.mul(t, p));
  const c = f64x2.sub(r, f64x2.mul(t, p));
  const quotient = f64x2.div(f64x2.mul(r, c), f64x2.sub(f64x2.splat(2), c));
  const y = f64x2.sub(f64x2.splat(1), f64x2.sub(f64x2.sub(low, quotient), high));
  const exponent = i64x2.shl(i64x2.extend_low_i32x4_s(i32x4.trunc_sat_f64x2_s_zero(k)), 52);
  const power = f64x2.mul(y, i64x2.add(exponent, f64x2.splat(1)));
  // As fdlibm has them.
  const tiny = i64x2.lt_s(upper, i64x2.splat(0x3e300000));
  const one = f64x2.eq(x, f64x2.splat(1));
  const apart = v128.bitselect(f64x2.splat(2.718281828459045), f64x2.add(f64x2.splat(1), x), one);
  return v128.bitselect(apart, power, v128.or(tiny, one));
}

/** 1 / (1 + e^-(bias + sum / UNIT)) of two sums. */
@inline
function probabilities(sums: v128, bias: f64): v128 {
  const logits = f64x2.add(f64x2.splat(bias), f64x2.div(sums, f64x2.splat(UNIT)));
  const one = f64x2.splat(1);
  return f64x2.div(one, f64x2.add(one, exponential(f64x2.neg(logits))));
}

/**
 * The probabilities that a logistic regression gives the cells of a pooled row, as 64-bit floats at `out`; of a cell
 * without a direction that of a vector of zeros. `weights` points at 64 floats, whose sums must stay within 700.
 */
export function rate(cells: usize, row: usize, weights: usize, bias: f64, out: usize): void {
  const last = cells - 1;
  for (let cell: usize = 0; cell < cells; cell += 8) {
    // Past the last cell the last one is taken again. Eight at once, because each sum waits for its own last addition.
    const a = row + 128 * cell;
    const b = row + 128 * min(cell + 1, last);
    const c = row + 128 * min(cell + 2, last);
    const d = row + 128 * min(cell + 3, last);
    const e = row + 128 * min(cell + 4, last);
    const f = row + 128 * min(cell + 5, last);
    const g = row + 128 * min(cell + 6, last);
    const h = row + 128 * min(cell + 7, last);
    let ab = f64x2.splat(0);
    let cd = f64x2.splat(0);
    let ef = f64x2.splat(0);
    let gh = f64x2.splat(0);
    for (let at: usize = 0; at < 128; at += 16) {
      const factors = weights + 4 * at;
      ab = addBands(ab, a + at, b + at, factors);
      cd = addBands(cd, c + at, d + at, factors);
      ef = addBands(ef, e + at, f + at, factors);
      gh = addBands(gh, g + at, h + at, factors);
    }
    store2(out, cell, cells, probabilities(ab, bias));
    if (cell + 2 < cells) store2(out, cell + 2, cells, probabilities(cd, bias));
    if (cell + 4 < cells) store2(out, cell + 4, cells, probabilities(ef, bias));
    if (cell + 6 < cells) store2(out, cell + 6, cells, probabilities(gh, bias));
  }
}

/** Sums of the lanes of four registers, in that order. */
@inline
function sumsOfLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 1, 4, 5), v128.shuffle<i32>(a, b, 2, 3, 6, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 1, 4, 5), v128.shuffle<i32>(c, d, 2, 3, 6, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
}

/** e^x of four lanes to about 3e-7 of it, -87 to 87 (the polynomial of `expf` in Cephes, Moshier, 1992). */
@inline
function nearExponential(x: v128): v128 {
  const k = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504088896341)));
  let r = f32x4.sub(x, f32x4.mul(k, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(k, f32x4.splat(2.12194440e-4)));
  let p = f32x4.add(f32x4.mul(r, f32x4.splat(1.9875691500e-4)), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(r, r), p), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(k), i32x4.splat(127)), 23);
  return f32x4.mul(p, power);
}

/**
 * As `rate`, near enough: 32-bit floats at `out`, each less than 2e-6 from what `rate` gives. `weights` points at those of a
 * head in whole numbers: for each eight bands 8 of 16 bits, then what is missing in them in parts of 2^14. `scale` is
 * what one of the weight times one of a component is worth.
 */
export function rateNear(cells: usize, row: usize, weights: usize, scale: f32, bias: f32, out: usize): void {
  const last = cells - 1;
  for (let cell: usize = 0; cell < cells; cell += 4) {
    // Past the last cell the last one is taken again; there is room for what it gives.
    const a = row + 128 * cell;
    const b = row + 128 * min(cell + 1, last);
    const c = row + 128 * min(cell + 2, last);
    const d = row + 128 * min(cell + 3, last);
    let highA = i32x4.splat(0);
    let highB = highA;
    let highC = highA;
    let highD = highA;
    let lowA = highA;
    let lowB = highA;
    let lowC = highA;
    let lowD = highA;
    for (let at: usize = 0; at < 128; at += 16) {
      const high = v128.load(weights + 2 * at);
      const low = v128.load(weights + 2 * at, 16);
      const bandsA = v128.load(a + at);
      highA = i32x4.add(highA, i32x4.dot_i16x8_s(bandsA, high));
      lowA = i32x4.add(lowA, i32x4.dot_i16x8_s(bandsA, low));
      const bandsB = v128.load(b + at);
      highB = i32x4.add(highB, i32x4.dot_i16x8_s(bandsB, high));
      lowB = i32x4.add(lowB, i32x4.dot_i16x8_s(bandsB, low));
      const bandsC = v128.load(c + at);
      highC = i32x4.add(highC, i32x4.dot_i16x8_s(bandsC, high));
      lowC = i32x4.add(lowC, i32x4.dot_i16x8_s(bandsC, low));
      const bandsD = v128.load(d + at);
      highD = i32x4.add(highD, i32x4.dot_i16x8_s(bandsD, high));
      lowD = i32x4.add(lowD, i32x4.dot_i16x8_s(bandsD, low));
    }
    const high = f32x4.convert_i32x4_s(sumsOfLanes(highA, highB, highC, highD));
    const low = f32x4.convert_i32x4_s(sumsOfLanes(lowA, lowB, lowC, lowD));
    const sums = f32x4.add(high, f32x4.mul(low, f32x4.splat(1.0 / 16384)));
    const logits = f32x4.add(f32x4.mul(sums, f32x4.splat(scale)), f32x4.splat(bias));
    const opposite = f32x4.max(f32x4.min(f32x4.neg(logits), f32x4.splat(80)), f32x4.splat(-80));
    const one = f32x4.splat(1);
    v128.store(out + 4 * cell, f32x4.div(one, f32x4.add(one, nearExponential(opposite))));
  }
}

@inline
function store2(out: usize, cell: usize, cells: usize, values: v128): void {
  if (cell + 1 < cells) v128.store(out + 8 * cell, values);
  else store<f64>(out + 8 * cell, f64x2.extract_lane(values, 0));
}
