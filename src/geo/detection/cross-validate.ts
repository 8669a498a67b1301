import { addEvaluations, areaUnderCurve, evaluateThreshold, type Evaluation } from './classification-scores.ts';
import { countPositive, type LabelledPixels, probabilityAt } from './fit-logistic.ts';
import { type Pause, tuneLogistic } from './tune-logistic.ts';

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

/** Ground cut into blocks that are never split: neighbours resemble each other, and a fold must not know its neighbours. */
export interface SpatialFolds {
  /** Number of the block of each point, from 0 in the order in which they come. */
  readonly blocks: Int32Array;
  readonly blockCount: number;
  /** Number of the fold of each point, from 0. */
  readonly folds: Uint8Array;
}

/** Numbers of the squares of `side` degrees that points lie in, from 0 in the order in which they come. */
export function squaresOf(lonLats: Float64Array, side: number): { readonly of: Int32Array; readonly count: number } {
  const numbers = new Map<string, number>();
  const of = new Int32Array(lonLats.length / 2);
  for (let i = 0; i < of.length; i++) {
    // A coordinate a rounding error below the edge of a square belongs to the square.
    const key = `${Math.floor(lonLats[2 * i] / side + 1e-9)} ${Math.floor(lonLats[2 * i + 1] / side + 1e-9)}`;
    of[i] = numbers.get(key) ?? numbers.size;
    numbers.set(key, of[i]);
  }
  return { of, count: numbers.size };
}

/**
 * Deals whole blocks out to folds so that each gets its part of both classes. The blocks are squares of `side` degrees;
 * the one with the most points of the class comes first, then the one with the most points, then the first to come. Each
 * goes to the fold that has least of what the block brings: the lowest sum, over both classes, of points of the fold times
 * points of the block, as parts of all points of the class; of several the lowest number. The same points give the same folds.
 */
export function spatialFolds(lonLats: Float64Array, labels: Uint8Array, side: number, foldCount: number): SpatialFolds {
  const { of: blocks, count: blockCount } = squaresOf(lonLats, side);
  const sizes = Array.from({ length: blockCount }, () => [0, 0] as [negative: number, positive: number]);
  const all: [negative: number, positive: number] = [0, 0];
  blocks.forEach((block, i) => {
    sizes[block][labels[i]]++;
    all[labels[i]]++;
  });
  const sizeOf = (block: number): number => sizes[block][0] + sizes[block][1];
  const order = sizes
    .map((_, block) => block)
    .sort((a, b) => sizes[b][1] - sizes[a][1] || sizeOf(b) - sizeOf(a) || a - b);
  const held = Array.from({ length: foldCount }, () => [0, 0]);
  const foldOf = new Uint8Array(blockCount);
  for (const block of order) {
    const [negative, positive] = sizes[block];
    const weights = held.map((own) => own[0] * negative * all[1] ** 2 + own[1] * positive * all[0] ** 2);
    const fold = weights.indexOf(Math.min(...weights));
    foldOf[block] = fold;
    held[fold][0] += negative;
    held[fold][1] += positive;
  }
  return { blocks, blockCount, folds: Uint8Array.from(blocks, (block) => foldOf[block]) };
}
