import { BANDS } from '../segmentation/grid.ts';
import type { DetectionHead } from './head.ts';
import type { LogisticHead } from './logistic-head.ts';

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
