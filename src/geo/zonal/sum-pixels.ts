/** The class of a pixel about which the raster says nothing. Classes are whole numbers below it. */
export const NO_CLASS = 255;

/** Adds the weight of each of `count` pixels to its class: `out` has 256 places, the last one for no data. */
export function sumClasses(weights: Float64Array, classes: Uint8Array, count: number, out: Float64Array): void {
  for (let i = 0; i < count; i++) out[classes[i]] += weights[i];
}

/** Adds the weight of each pixel of class `wanted` in one raster to its class in the other. */
export function sumClassesWithin(
  weights: Float64Array,
  within: Uint8Array,
  wanted: number,
  classes: Uint8Array,
  count: number,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) if (within[i] === wanted) out[classes[i]] += weights[i];
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
