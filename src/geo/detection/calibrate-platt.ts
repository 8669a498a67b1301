import type { LogisticHead } from './logistic-head.ts';

/** A line through the logits of a head: the calibrated logit is `slope * logit + intercept`. */
interface Calibrator {
  readonly slope: number;
  readonly intercept: number;
}

/** Newton steps at most; a dozen are enough for any data that can be fitted. */
const MOST_STEPS = 100;
/** Probabilities nearer to 0 or 1 than this count as so near: their logit would be endless. */
const EDGE = 1e-12;
/** Bins of equal numbers in which an error of calibration is taken. */
const BINS = 10;

/**
 * Platt's calibration (1999): the logistic regression of labels on the logits of predictions, with his targets a little
 * inside 0 and 1, which keep it finite where the classes part cleanly. The predictions have to be for rows that the head was
 * not fitted on.
 */
export function fitPlatt(scores: Float64Array, labels: Uint8Array): Calibrator {
  const logits = scores.map(logitOf);
  const positive = labels.reduce((sum, label) => sum + label, 0);
  const [high, low] = [(positive + 1) / (positive + 2), 1 / (labels.length - positive + 2)];
  let [slope, intercept] = [0, Math.log((positive + 1) / (labels.length - positive + 1))];
  for (let step = 0; step < MOST_STEPS; step++) {
    let [gs, gi, ss, si, ii] = [0, 0, 0, 0, 0];
    for (let i = 0; i < logits.length; i++) {
      const chance = 1 / (1 + Math.exp(-(slope * logits[i] + intercept)));
      const error = chance - (labels[i] === 1 ? high : low);
      const weight = chance * (1 - chance);
      gs += error * logits[i];
      gi += error;
      ss += weight * logits[i] * logits[i];
      si += weight * logits[i];
      ii += weight;
    }
    const determinant = ss * ii - si * si;
    if (!(determinant > 0)) break;
    const [ds, di] = [(ii * gs - si * gi) / determinant, (ss * gi - si * gs) / determinant];
    slope -= ds;
    intercept -= di;
    if (Math.abs(ds) + Math.abs(di) < 1e-12) break;
  }
  return { slope, intercept };
}

/** A probability as a calibrator turns it. */
export function calibrated(score: number, { slope, intercept }: Calibrator): number {
  return 1 / (1 + Math.exp(-(slope * logitOf(score) + intercept)));
}

/** The head that gives the calibrated probabilities itself. */
export function calibratedHead({ weights, bias }: LogisticHead, { slope, intercept }: Calibrator): LogisticHead {
  return { weights: weights.map((weight) => slope * weight), bias: slope * bias + intercept };
}

/**
 * The expected error of calibration: predictions in ten bins of equal numbers by rank, the distance of their mean from the
 * part that has the class, weighed by the bins. 0 for probabilities that are what they say.
 */
export function calibrationError(scores: Float64Array, labels: Uint8Array): number {
  const order = Array.from(scores, (_, i) => i).sort((a, b) => scores[a] - scores[b] || a - b);
  let error = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const own = order.slice(Math.floor((bin * order.length) / BINS), Math.floor(((bin + 1) * order.length) / BINS));
    error += Math.abs(own.reduce((sum, i) => sum + scores[i] - labels[i], 0));
  }
  return error / scores.length;
}

function logitOf(score: number): number {
  const inside = Math.min(1 - EDGE, Math.max(EDGE, score));
  return Math.log(inside / (1 - inside));
}
