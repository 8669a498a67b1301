import { BANDS, dequantise, NODATA } from '../segmentation/grid.ts';
import weights from './logistic-heads.json' with { type: 'json' };
import type { DetectionHead } from './head.ts';

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

/**
 * Heads fitted on public labels that held up on regions they were not fitted on (`docs/detection-models.md` has the
 * figures). Water and built-up were fitted on labels of Dynamic World in four regions; natural tropical forest does not
 * separate tree crops from forest, and says nothing outside the tropics.
 */
export const LOGISTIC_HEADS: Readonly<Record<'water' | 'built-up' | 'natural-tropical-forest', LogisticHead>> = weights;

/** A logistic regression in the form of any other head: one bin a band, no hidden layer, no calibration. */
export function networkOf({ weights, bias }: LogisticHead): DetectionHead {
  return {
    edges: Array.from({ length: BANDS }, () => new Float32Array(0)),
    width: 1,
    binWeights: new Float32Array(BANDS),
    slopes: Float32Array.from(weights),
    bias: Float32Array.of(bias),
    // Never applied: there is no layer after the first.
    activation: 'tanh',
    layers: [],
    calibration: { thresholds: new Float64Array(0), slopes: Float64Array.of(1), intercepts: Float64Array.of(0) },
  };
}
