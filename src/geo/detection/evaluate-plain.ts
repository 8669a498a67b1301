import { BANDS, dequantise, NODATA } from '../segmentation/grid.ts';
import type { Activation, Calibration, DenseLayer, DetectionHead } from './head.ts';

/**
 * Calibrated probabilities of pixels given as AEF codes, 64 a pixel; NaN where a code is -128. Written down as plainly as
 * it can be, in 64-bit numbers: `evaluate.ts` computes the same many times faster.
 */
export function evaluatePlain(head: DetectionHead, codes: Int8Array): Float64Array {
  return Float64Array.from({ length: codes.length / BANDS }, (_, pixel) => {
    const own = codes.subarray(pixel * BANDS, (pixel + 1) * BANDS);
    return own.includes(NODATA)
      ? Number.NaN
      : calibrate(head.calibration, rawScore(head, Float64Array.from(own, dequantise)));
  });
}

/** The score of one pixel before calibration, from its 64 values. */
export function rawScore(head: DetectionHead, values: ArrayLike<number>): number {
  let sums = firstSums(head, values);
  for (const layer of head.layers) sums = denseSums(layer, sums.map(ACTIVATIONS[head.activation]));
  return 1 / (1 + Math.exp(-sums[0]));
}

/** The probability a raw score stands for. */
export function calibrate({ thresholds, slopes, intercepts }: Calibration, raw: number): number {
  let low = 0;
  let high = thresholds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thresholds[middle] <= raw) low = middle + 1;
    else high = middle;
  }
  return slopes[low] * raw + intercepts[low];
}

function firstSums({ edges, width, binWeights, slopes, bias }: DetectionHead, values: ArrayLike<number>): Float64Array {
  const sums = Float64Array.from(bias);
  let firstBin = 0;
  for (let band = 0; band < BANDS; band++) {
    const value = Math.fround(values[band]);
    const bin = firstBin + edges[band].filter((edge) => edge <= value).length;
    for (let i = 0; i < width; i++) sums[i] += binWeights[bin * width + i] + slopes[band * width + i] * value;
    firstBin += edges[band].length + 1;
  }
  return sums;
}

function denseSums({ inputs, outputs, weights, bias }: DenseLayer, values: Float64Array): Float64Array {
  const sums = Float64Array.from(bias);
  for (let input = 0; input < inputs; input++) {
    for (let output = 0; output < outputs; output++) sums[output] += values[input] * weights[input * outputs + output];
  }
  return sums;
}

const ACTIVATIONS: Readonly<Record<Activation, (sum: number) => number>> = {
  tanh: Math.tanh,
  relu: (sum) => Math.max(0, sum),
  gelu: (sum) => 0.5 * sum * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (sum + 0.044715 * sum ** 3))),
};

/** Codes of made-up pixels, 64 each, the same every time: what a head is checked on where no real ones are at hand. */
export function checkPixels(count: number): Int8Array {
  return Int8Array.from({ length: count * BANDS }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >> 24) % 60);
}
