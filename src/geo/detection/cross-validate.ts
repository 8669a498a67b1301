import { areaUnderCurve } from './area-under-curve.ts';
import { probabilityAt } from './fit-logistic.ts';
import { addEvaluations, evaluateThreshold, type Evaluation } from './evaluate-threshold.ts';
import { countPositive, type LabelledPixels } from './labelled-pixels.ts';
import { tuneLogistic, type Pause } from './tune-logistic.ts';

/** How a head fitted without one part of the ground does on that part. */
export interface PartScore {
  readonly positive: number;
  readonly negative: number;
  /** NaN when the part has only one class. */
  readonly areaUnderCurve: number;
  readonly strength: number;
  readonly threshold: number;
  readonly evaluation: Evaluation;
}

interface CrossValidation {
  readonly parts: readonly PartScore[];
  /** Over all pixels of all parts, each predicted without its own part. */
  readonly areaUnderCurve: number;
  readonly evaluation: Evaluation;
}

/**
 * Leaves out one part of the ground after the other. Everything is chosen without the part: the head, the strength of its
 * penalty and its threshold come from the other parts alone (nested cross-validation), so that the scores promise nothing
 * that the head has only because it was looked at.
 *
 * @param parts number of the part of every pixel, from 0; a negative one is never left out, and always fitted on.
 * @param folds number of the fold of every pixel, by which strength and threshold are chosen.
 */
export async function crossValidate(
  pixels: LabelledPixels,
  parts: Int32Array | Uint8Array,
  count: number,
  folds: Uint8Array,
  pause: Pause,
): Promise<CrossValidation> {
  const all = Int32Array.from(parts, (_, row) => row);
  const scores: number[] = [];
  const labels: number[] = [];
  const found: PartScore[] = [];
  for (let part = 0; part < count; part++) {
    const own = all.filter((row) => parts[row] === part);
    const others = all.filter((row) => parts[row] !== part);
    const tuned = await tuneLogistic(pixels, others, folds, pause);
    const ownScores = Array.from(own, (row) => probabilityAt(tuned.head, pixels.values, row * pixels.bands));
    const ownLabels = Array.from(own, (row) => pixels.labels[row]);
    for (const [i, score] of ownScores.entries()) {
      scores.push(score);
      labels.push(ownLabels[i]);
    }
    const positive = countPositive(pixels, own);
    found.push({
      positive,
      negative: own.length - positive,
      areaUnderCurve: areaUnderCurve(ownScores, ownLabels),
      strength: tuned.strength,
      threshold: tuned.threshold,
      evaluation: evaluateThreshold(ownScores, ownLabels, tuned.threshold),
    });
  }
  const evaluation = found.map((part) => part.evaluation).reduce(addEvaluations, { found: 0, claimed: 0, missed: 0 });
  return { parts: found, areaUnderCurve: areaUnderCurve(scores, labels), evaluation };
}
