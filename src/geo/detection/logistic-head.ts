import { BANDS, NODATA } from '../segmentation/grid.ts';
import { dequantise } from '../segmentation/dequantise.ts';

/** A logistic regression over the 64 values of an AEF pixel. */
export interface LogisticHead {
  readonly weights: readonly number[];
  readonly bias: number;
}

/** Probabilities of pixels given as AEF codes, 64 a pixel; NaN where a code is -128. */
export function evaluateLogistic({ weights, bias }: LogisticHead, codes: Int8Array): Float64Array {
  return Float64Array.from({ length: codes.length / BANDS }, (_, pixel) => {
    let sum = bias;
    for (let band = 0; band < BANDS; band++) {
      const code = codes[pixel * BANDS + band];
      if (code === NODATA) return Number.NaN;
      sum += weights[band] * dequantise(code);
    }
    return 1 / (1 + Math.exp(-sum));
  });
}
