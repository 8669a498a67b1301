import { fitLogistic, type LabelledPixels, probabilityAt } from './fit-logistic.ts';
import { bestThreshold } from './classification-scores.ts';
import type { LogisticHead } from './logistic-head.ts';

/** A head with the two numbers that were chosen for it. */
export interface TunedHead {
  readonly head: LogisticHead;
  /** Inverse strength of the penalty, as `fitLogistic` takes it. */
  readonly strength: number;
  /** A pixel counts from this probability on. */
  readonly threshold: number;
  /** Predictions for the rows, each by a head that was not fitted on it, and their labels. */
  readonly leftOut: { readonly scores: Float64Array; readonly labels: Uint8Array };
}

/** The strengths that are tried, weakest fit first. */
const STRENGTHS = [0.001, 0.01, 0.1, 1, 10] as const;
/** Losses this much apart, relatively, are as good as each other: the stronger penalty is taken. */
const AS_GOOD = 1e-3;
/** Digits a threshold is kept with. */
const THRESHOLD_STEPS = 10_000;

/** Called between two fits, which take up to seconds each: lets others work, and throws when nobody waits any more. */
export type Pause = () => Promise<void>;

/**
 * Fits a head on some rows. Strength and threshold are chosen on predictions for rows that the fit they come from did not
 * see: each fold in turn is left out, its rows are predicted from the others, and the strength with the lowest mean log
 * loss over all of them is taken, the strongest penalty among those within 0.1 % of it; then the threshold of the
 * highest F1 on those same predictions, rounded down to four decimals.
 *
 * @param folds number of the fold of every pixel; those of other rows are ignored.
 */
export async function tuneLogistic(
  pixels: LabelledPixels,
  rows: Int32Array,
  folds: Uint8Array,
  pause: Pause,
): Promise<TunedHead> {
  const labels = Uint8Array.from(rows, (row) => pixels.labels[row]);
  const tried: { readonly strength: number; readonly scores: Float64Array; readonly loss: number }[] = [];
  for (const strength of STRENGTHS) {
    const scores = await leftOut(pixels, rows, folds, strength, pause);
    tried.push({ strength, scores, loss: meanLogLoss(scores, labels) });
  }
  const least = Math.min(...tried.map(({ loss }) => loss));
  const { strength, scores } = tried.find(({ loss }) => loss <= least * (1 + AS_GOOD))!;
  await pause();
  const threshold = Math.floor(bestThreshold(scores, labels) * THRESHOLD_STEPS) / THRESHOLD_STEPS;
  return { head: fitLogistic(pixels, rows, strength), strength, threshold, leftOut: { scores, labels } };
}

/** Predictions for rows that a head was not fitted on, in the order of the rows. */
export async function leftOut(
  pixels: LabelledPixels,
  rows: Int32Array,
  folds: Uint8Array,
  strength: number,
  pause: Pause,
): Promise<Float64Array> {
  const scores = new Float64Array(rows.length);
  for (const fold of new Set(rows.values().map((row) => folds[row]))) {
    await pause();
    const others = rows.filter((row) => folds[row] !== fold);
    const head = fitLogistic(pixels, others, strength);
    rows.forEach((row, i) => {
      if (folds[row] === fold) scores[i] = probabilityAt(head, pixels.values, row * pixels.bands);
    });
  }
  return scores;
}

function meanLogLoss(scores: Float64Array, labels: Uint8Array): number {
  const sum = scores.reduce((all, score, i) => {
    const chance = labels[i] === 1 ? score : 1 - score;
    return all - Math.log(Math.max(chance, Number.MIN_VALUE));
  }, 0);
  return sum / scores.length;
}
