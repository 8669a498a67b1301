import type { LogisticHead } from './logistic-head.ts';

/** Pixels whose class is known, as a head is fitted on them. */
export interface LabelledPixels {
  /** Values of pixel i from `i * bands` on. */
  readonly values: Float64Array;
  readonly bands: number;
  /** 1 where the class is there, 0 where it is not. */
  readonly labels: Uint8Array;
}

/** How many of some pixels have the class. */
export function countPositive({ labels }: LabelledPixels, rows: Int32Array): number {
  return rows.reduce((sum, row) => sum + labels[row], 0);
}

/** Newton steps after which a fit that has not settled is taken for broken; it settles in about ten. */
const MOST_STEPS = 100;
/** Largest slope, relative to the number of pixels, at which a fit has settled. */
const SETTLED = 1e-10;

/**
 * The logistic regression that minimises `strength * (sum of log losses) + |w|^2 / 2`, w being the weights of bands
 * brought to mean 0 and standard deviation 1 over the same rows, the bias without penalty: what scikit-learn's
 * `StandardScaler` and `LogisticRegression(C=strength)` give. The weights returned are for the values as they are.
 * Newton's method with halved steps where a whole one leads uphill (iteratively reweighted least squares).
 *
 * @param rows the pixels to fit on; both classes have to be among them.
 * @throws RangeError when they are not, or when no minimum is found.
 */
export function fitLogistic(pixels: LabelledPixels, rows: Int32Array, strength: number): LogisticHead {
  const positive = rows.reduce((sum, row) => sum + pixels.labels[row], 0);
  if (positive === 0 || positive === rows.length)
    throw new RangeError(`a fit needs both classes; got ${positive} of ${rows.length} pixels with the class`);
  const { bands } = pixels;
  const scale = scaleOf(pixels, rows);
  const inputs = standardised(pixels, rows, scale);
  const size = bands + 1;
  const labels = Uint8Array.from(rows, (row) => pixels.labels[row]);
  let weights = new Float64Array(size);
  weights[bands] = Math.log(positive / (rows.length - positive));
  let loss = lossOf(inputs, labels, weights, strength);
  const slope = new Float64Array(size);
  const curvature = new Float64Array(size * size);
  for (let step = 0; step < MOST_STEPS; step++) {
    slopesOf(inputs, labels, weights, strength, slope, curvature);
    if (slope.every((value) => Math.abs(value) <= SETTLED * rows.length * Math.max(1, strength)))
      return unscaled(weights, scale);
    if (!solveCholesky(curvature, slope, size)) throw new RangeError('a fit has no single best answer');
    let share = 1;
    let next = moved(weights, slope, share);
    let nextLoss = lossOf(inputs, labels, next, strength);
    while (!(nextLoss <= loss) && share > 1e-9) {
      share /= 2;
      next = moved(weights, slope, share);
      nextLoss = lossOf(inputs, labels, next, strength);
    }
    // No step leads downhill any more: this is as near as the numbers go.
    if (!(nextLoss < loss)) return unscaled(weights, scale);
    weights = next;
    loss = nextLoss;
  }
  throw new RangeError(`a fit did not settle within ${MOST_STEPS} steps`);
}

/** The probability of a pixel, from its values. */
export function probabilityAt({ weights, bias }: LogisticHead, values: Float64Array, from: number): number {
  let sum = bias;
  for (let band = 0; band < weights.length; band++) sum += weights[band] * values[from + band];
  return 1 / (1 + Math.exp(-sum));
}

interface Scale {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

/** A band that is the same everywhere keeps its deviation of 1 and gets no weight. */
function scaleOf({ values, bands }: LabelledPixels, rows: Int32Array): Scale {
  const mean = new Float64Array(bands);
  for (const row of rows) for (let band = 0; band < bands; band++) mean[band] += values[row * bands + band];
  for (let band = 0; band < bands; band++) mean[band] /= rows.length;
  const squares = new Float64Array(bands);
  for (const row of rows)
    for (let band = 0; band < bands; band++) squares[band] += (values[row * bands + band] - mean[band]) ** 2;
  const deviation = squares.map((sum) => Math.sqrt(sum / rows.length));
  return { mean, deviation: deviation.map((value) => (value > 1e-12 ? value : 1)) };
}

/** Rows one after the other, each with a 1 for the bias at its end. */
function standardised({ values, bands }: LabelledPixels, rows: Int32Array, { mean, deviation }: Scale): Float64Array {
  const size = bands + 1;
  const out = new Float64Array(rows.length * size);
  rows.forEach((row, i) => {
    for (let band = 0; band < bands; band++)
      out[i * size + band] = (values[row * bands + band] - mean[band]) / deviation[band];
    out[i * size + bands] = 1;
  });
  return out;
}

function unscaled(weights: Float64Array, { mean, deviation }: Scale): LogisticHead {
  const bands = mean.length;
  const own = Array.from(deviation, (value, band) => weights[band] / value);
  return { weights: own, bias: own.reduce((bias, weight, band) => bias - weight * mean[band], weights[bands]) };
}

function moved(weights: Float64Array, step: Float64Array, share: number): Float64Array<ArrayBuffer> {
  return Float64Array.from(weights, (weight, i) => weight - share * step[i]);
}

function sumAt(inputs: Float64Array, from: number, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i] * inputs[from + i];
  return sum;
}

function lossOf(inputs: Float64Array, labels: Uint8Array, weights: Float64Array, strength: number): number {
  const size = weights.length;
  let loss = 0;
  for (let row = 0; row < labels.length; row++) {
    const sum = sumAt(inputs, row * size, weights);
    const away = labels[row] === 1 ? -sum : sum;
    loss += away > 0 ? away + Math.log1p(Math.exp(-away)) : Math.log1p(Math.exp(away));
  }
  let squares = 0;
  for (let i = 0; i < size - 1; i++) squares += weights[i] ** 2;
  return strength * loss + squares / 2;
}

/** Writes the slopes of the loss to `slope` and the lower triangle of its second derivatives to `curvature`. */
function slopesOf(
  inputs: Float64Array,
  labels: Uint8Array,
  weights: Float64Array,
  strength: number,
  slope: Float64Array,
  curvature: Float64Array,
): void {
  const size = weights.length;
  slope.fill(0);
  curvature.fill(0);
  for (let row = 0; row < labels.length; row++) {
    const from = row * size;
    const probability = 1 / (1 + Math.exp(-sumAt(inputs, from, weights)));
    const error = strength * (probability - labels[row]);
    const weight = strength * probability * (1 - probability);
    for (let i = 0; i < size; i++) {
      slope[i] += error * inputs[from + i];
      const part = weight * inputs[from + i];
      for (let j = 0; j <= i; j++) curvature[i * size + j] += part * inputs[from + j];
    }
  }
  for (let i = 0; i < size - 1; i++) {
    slope[i] += weights[i];
    curvature[i * size + i] += 1;
  }
}

/**
 * Solves `matrix * x = right` in place for a symmetric positive definite matrix of `size` rows, of which only the lower
 * triangle is read: `matrix` becomes its Cholesky factor and `right` the answer. False when the matrix is not positive
 * definite; both then hold nothing of use.
 */
function solveCholesky(matrix: Float64Array, right: Float64Array, size: number): boolean {
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column];
      for (let k = 0; k < column; k++) sum -= matrix[row * size + k] * matrix[column * size + k];
      if (row !== column) matrix[row * size + column] = sum / matrix[column * size + column];
      else if (sum > 0) matrix[row * size + row] = Math.sqrt(sum);
      else return false;
    }
  }
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < row; k++) right[row] -= matrix[row * size + k] * right[k];
    right[row] /= matrix[row * size + row];
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let k = row + 1; k < size; k++) right[row] -= matrix[k * size + row] * right[k];
    right[row] /= matrix[row * size + row];
  }
  return true;
}
