/**
 * Rao's quadratic entropy of pixels: `Q = sum of p_i p_j d_ij` over all pairs i, j in either order, the expected distance of two
 * pixels drawn at random with replacement (Botta-Dukat 2005, J. Veg. Sci. 16, equation 1; on pixels of remote sensing
 * Rocchini et al. 2017, Ecol. Indic. 72). Shares `p` are of weights, so that a pixel counts by what of it is inside.
 */

/**
 * Rao's Q of numbers under the distance `|a - b|`, exact and without looking at pairs: sorted, it is twice the sum of
 * `F (1 - F)` times the step to the next number, `F` being the share up to it. In the unit of the numbers; NaN when all weights are 0.
 */
export function raoOfNumbers(weightOf: ReadonlyMap<number, number>): number {
  const numbers = Float64Array.from(weightOf.keys()).sort();
  let total = 0;
  for (const number of numbers) total += weightOf.get(number) ?? 0;
  let below = 0;
  let sum = 0;
  for (let i = 0; i + 1 < numbers.length; i++) {
    below += (weightOf.get(numbers[i]) ?? 0) / total;
    sum += below * (1 - below) * (numbers[i + 1] - numbers[i]);
  }
  return total > 0 ? Math.max(0, 2 * sum) : Number.NaN;
}

/** Sums by which Rao's Q of unit vectors is taken: one number a band, then the weight of all. */
type VectorSums = Float64Array;

/**
 * Rao's Q of unit vectors under the cosine distance `1 - cos`, exact: the sum over pairs of `p_i p_j (u_i . u_j)` is the squared
 * length of the mean vector, so `Q = 1 - |mean|^2`. From 0 to 1; NaN when all weights are 0.
 */
export function raoOfUnitVectors(sums: VectorSums): number {
  const bands = sums.length - 1;
  const total = sums[bands];
  let squared = 0;
  for (let band = 0; band < bands; band++) squared += (sums[band] / total) ** 2;
  return total > 0 ? Math.min(1, Math.max(0, 1 - squared)) : Number.NaN;
}

/** Adds a vector, made a unit one, with a weight. A vector of length 0 adds nothing. */
export function addVector(vectors: Float64Array | Float32Array, at: number, weight: number, sums: VectorSums): void {
  const bands = sums.length - 1;
  let squared = 0;
  for (let band = 0; band < bands; band++) squared += vectors[at + band] ** 2;
  if (squared === 0) return;
  const scale = weight / Math.sqrt(squared);
  for (let band = 0; band < bands; band++) sums[band] += vectors[at + band] * scale;
  sums[bands] += weight;
}
