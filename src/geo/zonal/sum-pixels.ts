/** The class of a pixel about which the raster says nothing. Classes are whole numbers below it. */
export const NO_CLASS = 255;

/** Adds the weight of each of `count` pixels to its class in `out`, which has a place for each; other classes are passed over. */
export function sumClasses(
  weights: Float64Array,
  classes: Uint8Array,
  count: number,
  places: number,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const place = classes[i];
    if (place < places) out[place] += weights[i];
  }
}

/** The same of pixels of class `wanted` in another raster, into `out` from `at` on. */
export function sumClassesWithin(
  weights: Float64Array,
  within: Uint8Array,
  wanted: number,
  classes: Uint8Array,
  count: number,
  places: number,
  out: Float64Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const place = classes[i];
    if (within[i] === wanted && place < places) out[at + place] += weights[i];
  }
}

/**
 * The same by pairs of classes of two rasters, `otherPlaces` of them for each class of the first: what the other one has no class
 * for is its class 0.
 */
export function sumClassPairs(
  weights: Float64Array,
  classes: Uint8Array,
  places: number,
  other: Uint8Array,
  otherPlaces: number,
  count: number,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const place = classes[i];
    if (place < places) out[place * otherPlaces + (other[i] < otherPlaces ? other[i] : 0)] += weights[i];
  }
}

/** Adds weight times value of each pixel to `out[0]` and the weight of those that have a value to `out[1]`; NaN is none. */
export function sumValues(weights: Float64Array, values: Float32Array, count: number, out: Float64Array): void {
  let sum = 0;
  let known = 0;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    if (value !== value || weights[i] === 0) continue;
    sum += weights[i] * value;
    known += weights[i];
  }
  out[0] += sum;
  out[1] += known;
}
