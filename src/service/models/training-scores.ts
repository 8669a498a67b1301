import {
  crossValidate,
  type PartScore,
  spatialFolds,
  type SpatialFolds,
  squaresOf,
} from '../../geo/detection/cross-validate.ts';
import { type Evaluation, f1Of, precisionOf, recallOf } from '../../geo/detection/classification-scores.ts';
import type { Pause } from '../../geo/detection/tune-logistic.ts';
import type { PartReceipt, TrainingReceipt } from '../../readers/models/training-receipt.ts';
import type { TrainingPixels } from './training-pixels.ts';
import { TrainingRefused, TRAINING_RULES } from './training-rules.ts';
import { round } from '../../geo/round.ts';

/** The ground of labels in folds; throws `TrainingRefused` when there is too little of it to evaluate a head on. */
export function foldsOf({ pixels: { labels }, lonLats }: TrainingPixels, blockDegrees: number): SpatialFolds {
  const { leastOfClass, leastBlocks, folds: count } = TRAINING_RULES;
  const laidOut = spatialFolds(lonLats, labels, blockDegrees, count);
  for (const [label, name] of CLASSES) {
    const own = Array.from(labels, (_, i) => i).filter((i) => labels[i] === label);
    if (own.length < leastOfClass)
      throw new TrainingRefused(
        `too few labels: wanted ${leastOfClass} pixels with the label "${name}" and embeddings, got ${own.length}`,
      );
    const blocks = new Set(own.map((i) => laidOut.blocks[i])).size;
    if (blocks < leastBlocks)
      throw new TrainingRefused(
        `labels too close together: wanted "${name}" in ${leastBlocks} blocks of ${blockDegrees} degrees, got it in ${blocks}; spread the labels, or give a smaller --block when places this near differ`,
      );
    const folds = new Set(own.map((i) => laidOut.folds[i])).size;
    if (folds < count)
      throw new TrainingRefused(
        `labels too unevenly spread: wanted "${name}" in each of ${count} folds of whole blocks, got it in ${folds}`,
      );
  }
  return laidOut;
}

const CLASSES = [
  [1, 'there'],
  [0, 'not there'],
] as const;

/** Scores on folds and on regions, each evaluated with a head that was fitted without it. */
export async function trainingScores(
  data: TrainingPixels,
  { folds }: SpatialFolds,
  blockDegrees: number,
  pause: Pause,
): Promise<TrainingReceipt['scores']> {
  const { pixels } = data;
  const byFold = await crossValidate(pixels, folds, TRAINING_RULES.folds, folds, pause);
  const positive = pixels.labels.reduce((sum, label) => sum + label, 0);
  const regions = regionsOf(data, folds, blockDegrees);
  const byRegion = await crossValidate(pixels, regions.of, regions.names.length, folds, pause);
  return {
    auc: round(byFold.areaUnderCurve, 4),
    ...ratesOf(byFold.evaluation),
    false_positive_rate: round(byFold.evaluation.claimed / (pixels.labels.length - positive), 4),
    folds: byFold.parts.map((part, fold) => receiptOf(`fold ${fold + 1}`, part)),
    regions: byRegion.parts.map((part, region) => receiptOf(regions.names[region], part)),
    regions_too_small: regions.tooSmall,
  };
}

interface Regions {
  readonly names: readonly string[];
  /** Number of the region of each pixel; -1 for those that are never held out. */
  readonly of: Int32Array;
  readonly tooSmall: number;
}

/** The regions that can be held out: enough of both classes inside, and enough outside to fit on. */
function regionsOf({ pixels: { labels }, lonLats, regions }: TrainingPixels, folds: Uint8Array, side: number): Regions {
  const { regionBlocks, leastOfRegion, leastOfClass, mostRegions } = TRAINING_RULES;
  const squares = squaresOf(lonLats, side * regionBlocks);
  const names = regions ?? Array.from(squares.of, (_, i) => squareName(lonLats, i, side * regionBlocks));
  const rows = [...Map.groupBy(names.keys(), (i) => names[i]).entries()];
  const count = (own: readonly number[], label: number): number => own.filter((i) => labels[i] === label).length;
  const rarer = (own: readonly number[]): number => Math.min(count(own, 0), count(own, 1));
  const usable = rows
    .filter(([name, own]) => {
      if (rarer(own) < leastOfRegion) return false;
      const others = [...names.keys()].filter((i) => names[i] !== name);
      const inFolds = ([0, 1] as const).map(
        (label) => new Set(others.filter((i) => labels[i] === label).map((i) => folds[i])).size,
      );
      return rarer(others) >= leastOfClass && Math.min(...inFolds) >= 2;
    })
    .sort(([, a], [, b]) => rarer(b) - rarer(a))
    .slice(0, mostRegions);
  const of = new Int32Array(labels.length).fill(-1);
  usable.forEach(([, own], region) => own.forEach((i) => (of[i] = region)));
  return { names: usable.map(([name]) => name), of, tooSmall: rows.length - usable.length };
}

/** A square by its lower left corner. */
function squareName(lonLats: Float64Array, i: number, side: number): string {
  const corner = (value: number): string => String(Number((Math.floor(value / side + 1e-9) * side).toFixed(6)));
  return `from ${corner(lonLats[2 * i])}, ${corner(lonLats[2 * i + 1])}`;
}

function receiptOf(name: string, { positive, negative, areaUnderCurve, evaluation }: PartScore): PartReceipt {
  const auc = Number.isNaN(areaUnderCurve) ? null : round(areaUnderCurve, 4);
  return { name, positive, negative, auc, ...ratesOf(evaluation) };
}

function ratesOf(evaluation: Evaluation) {
  return {
    f1: round(f1Of(evaluation), 4),
    precision: round(precisionOf(evaluation), 4),
    recall: round(recallOf(evaluation), 4),
  };
}
