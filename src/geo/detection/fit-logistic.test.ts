import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { labelledPoints } from '../../../test/detection-heads.ts';
import { seededRandom } from '../seeded-random.ts';
import { needsSharedData } from '../../../test/shared-data.ts';
import {
  areaUnderCurve,
  bestThreshold,
  evaluateThreshold,
  f1Of,
  precisionOf,
  recallOf,
} from './classification-scores.ts';
import { calibrated, calibratedHead, calibrationError, fitPlatt } from './calibrate-platt.ts';
import { crossValidate, spatialFolds, squaresOf } from './cross-validate.ts';
import { fitLogistic, type LabelledPixels, probabilityAt } from './fit-logistic.ts';
import { leftOut, tuneLogistic } from './tune-logistic.ts';

/** What scikit-learn makes of the same points: `test/oracles/detection/logistic.py`. */
const ORACLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/oracles/detection/logistic.json'), 'utf8'),
) as {
  fits: { strength: number; weights: number[]; bias: number }[];
  folds: string;
  blocks: number;
  left_out_auc: number;
  nested: { parts: { strength: number; threshold: number; auc: number }[]; auc: number; f1: number };
  tuned: { strength: number; threshold: number };
  platt: { slope: number; intercept: number; error: number; calibrated_error: number };
};
const pause = async (): Promise<void> => {};

test('weights and bias are those of scikit-learn, for a strong and a weak penalty', needsSharedData('aef'), () => {
  const { pixels } = builtUp();
  for (const { strength, weights, bias } of ORACLE.fits) {
    const head = fitLogistic(pixels, rowsOf(pixels), strength);
    const differences = [head.bias - bias, ...head.weights.map((weight, band) => weight - weights[band])].map(Math.abs);
    assert.ok(Math.max(...differences) < 1e-6, `C ${strength}: largest difference ${Math.max(...differences)}`);
  }
});

test('folds, scores, chosen penalties and thresholds are those of scikit-learn', needsSharedData('aef'), async () => {
  const { pixels, lonLats } = builtUp();
  const { folds, blockCount } = spatialFolds(lonLats, pixels.labels, 0.1, 5);
  assert.deepEqual([folds.join(''), blockCount], [ORACLE.folds, ORACLE.blocks]);
  const rows = rowsOf(pixels);
  const scores = await leftOut(pixels, rows, folds, 1, pause);
  assert.ok(Math.abs(areaUnderCurve(scores, pixels.labels) - ORACLE.left_out_auc) < 1e-9);
  const nested = await crossValidate(pixels, folds, 5, folds, pause);
  assert.ok(Math.abs(nested.areaUnderCurve - ORACLE.nested.auc) < 1e-9);
  assert.ok(Math.abs(f1Of(nested.evaluation) - ORACLE.nested.f1) < 1e-9);
  nested.parts.forEach((part, fold) => {
    const { strength, threshold, auc } = ORACLE.nested.parts[fold];
    assert.deepEqual([part.strength, part.threshold], [strength, threshold]);
    assert.ok(Math.abs(part.areaUnderCurve - auc) < 1e-9);
  });
  const { strength, threshold, leftOut: unseen } = await tuneLogistic(pixels, rows, folds, pause);
  assert.deepEqual({ strength, threshold }, ORACLE.tuned);
  const platt = fitPlatt(unseen.scores, unseen.labels);
  assert.ok(Math.abs(platt.slope - ORACLE.platt.slope) < 1e-4, `${platt.slope}`);
  assert.ok(Math.abs(platt.intercept - ORACLE.platt.intercept) < 1e-4, `${platt.intercept}`);
  assert.ok(Math.abs(calibrationError(unseen.scores, unseen.labels) - ORACLE.platt.error) < 1e-9);
  const turned = unseen.scores.map((score) => calibrated(score, platt));
  assert.ok(Math.abs(calibrationError(turned, unseen.labels) - ORACLE.platt.calibrated_error) < 1e-5);
});

test('calibration makes probabilities of a head that is too sure of itself what they say, and changes no order', () => {
  const random = seededRandom(7);
  const truth = Float64Array.from({ length: 4_000 }, () => 1 / (1 + Math.exp(-4 * (random() - 0.7))));
  const labels = Uint8Array.from(truth, (chance) => (random() < chance ? 1 : 0));
  const tooSure = truth.map((chance) => 1 / (1 + Math.exp(-(3 * Math.log(chance / (1 - chance)) + 1))));
  const platt = fitPlatt(tooSure, labels);
  assert.ok(Math.abs(platt.slope - 1 / 3) < 0.04 && Math.abs(platt.intercept + 1 / 3) < 0.1, JSON.stringify(platt));
  const turned = tooSure.map((score) => calibrated(score, platt));
  assert.ok(calibrationError(tooSure, labels) > 0.1 && calibrationError(turned, labels) < 0.03);
  assert.ok(Math.abs(areaUnderCurve(turned, labels) - areaUnderCurve(tooSure, labels)) < 1e-12);
  const head = { weights: [2, -1], bias: 0.5 };
  const values = Float64Array.of(0.3, 0.8);
  const own = calibrated(probabilityAt(head, values, 0), platt);
  assert.ok(Math.abs(probabilityAt(calibratedHead(head, platt), values, 0) - own) < 1e-12);
});

test('a fit is where the loss is lowest: no weight moved a little makes it lower', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(0.01, 1, 100),
      (seed, bands, strength) => {
        const pixels = madeUp(seed, 60, bands);
        const rows = rowsOf(pixels);
        const head = fitLogistic(pixels, rows, strength);
        const lowest = lossOf(pixels, head, strength);
        for (let band = 0; band <= bands; band++)
          for (const by of [-1e-3, 1e-3]) {
            const weights = head.weights.map((weight, i) => (i === band ? weight + by : weight));
            const bias = band === bands ? head.bias + by : head.bias;
            assert.ok(lossOf(pixels, { weights, bias }, strength) >= lowest - 1e-9);
          }
      },
    ),
    { numRuns: 60 },
  );
});

test('classes that a line separates, equal bands and a band without any change still give a fit', () => {
  const labels = Uint8Array.of(0, 0, 1, 1);
  const values = Float64Array.of(-2, -2, 5, -1, -1, 5, 1, 1, 5, 2, 2, 5);
  const head = fitLogistic({ values, bands: 3, labels }, Int32Array.of(0, 1, 2, 3), 1e6);
  assert.ok(Math.abs(head.weights[0] - head.weights[1]) < 1e-6);
  assert.equal(head.weights[2], 0);
  assert.ok(probabilityAt(head, values, 0) < 0.01 && probabilityAt(head, values, 9) > 0.99);
});

test('one class alone cannot be fitted, and says so', () => {
  const pixels = { values: new Float64Array(4), bands: 1, labels: Uint8Array.of(1, 1, 1, 0) };
  assert.throws(() => fitLogistic(pixels, Int32Array.of(0, 1, 2), 1), /needs both classes; got 3 of 3 pixels/);
});

test('the area under the curve counts pairs, ties half', () => {
  assert.equal(areaUnderCurve([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]), 0.75);
  assert.equal(areaUnderCurve([0.5, 0.5, 0.5], [1, 0, 0]), 0.5);
  assert.ok(Number.isNaN(areaUnderCurve([0.5, 0.6], [1, 1])));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 1 }))), (pairs) => {
      const [scores, labels] = [pairs.map(([score]) => score), pairs.map(([, label]) => label)];
      const [there, not] = [1, 0].map((label) => scores.filter((_, i) => labels[i] === label));
      const wins = there.flatMap((a) => not.map((b) => (a > b ? 1 : a === b ? 0.5 : 0) as number));
      const wanted = wins.reduce((sum, win) => sum + win, 0) / wins.length;
      const got = areaUnderCurve(scores, labels);
      assert.ok(wins.length === 0 ? Number.isNaN(got) : Math.abs(got - wanted) < 1e-12);
    }),
  );
});

test('no other threshold has a higher F1', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1 })), { minLength: 1 }),
      (pairs) => {
        const [scores, labels] = [pairs.map(([score]) => score / 10), pairs.map(([, label]) => label)];
        const f1At = (threshold: number): number => f1Of(evaluateThreshold(scores, labels, threshold));
        const best = bestThreshold(scores, labels);
        for (const score of scores) assert.ok(f1At(score) <= f1At(best) + 1e-12);
      },
    ),
  );
  const judged = evaluateThreshold([0.9, 0.8, 0.2, 0.1], [1, 0, 1, 0], 0.5);
  assert.deepEqual([precisionOf(judged), recallOf(judged), f1Of(judged)], [0.5, 0.5, 0.5]);
});

test('a block is never split, and folds get their part of both classes', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 50, max: 300 }), (seed, count) => {
      const random = seededRandom(seed);
      const lonLats = Float64Array.from({ length: 2 * count }, () => random() * 3 - 1.5);
      const labels = Uint8Array.from({ length: count }, () => (random() < 0.3 ? 1 : 0));
      const { blocks, blockCount, folds } = spatialFolds(lonLats, labels, 0.25, 5);
      const { of } = squaresOf(lonLats, 0.25);
      assert.deepEqual(blocks, of);
      assert.equal(Math.max(...blocks) + 1, blockCount);
      const foldOf = new Map<number, number>();
      blocks.forEach((block, i) => {
        assert.equal(foldOf.get(block) ?? folds[i], folds[i]);
        foldOf.set(block, folds[i]);
      });
      const negatives = Array.from({ length: 5 }, (_, fold) =>
        folds.filter((own, i) => own === fold && labels[i] === 0),
      );
      assert.ok(Math.max(...negatives.map(({ length }) => length)) <= count * 0.35);
    }),
    { numRuns: 30 },
  );
});

test('a fit that nobody waits for any more is given up', async () => {
  const pixels = madeUp(1, 60, 2);
  const folds = Uint8Array.from(pixels.labels, (_, i) => i % 5);
  const gone = async (): Promise<void> => {
    throw new Error('gone');
  };
  await assert.rejects(tuneLogistic(pixels, rowsOf(pixels), folds, gone), /gone/);
});

/** The class "built" of all points around Manaus and in Iowa. */
function builtUp(): { readonly pixels: LabelledPixels; readonly lonLats: Float64Array } {
  const points = ['points_amazon.csv', 'points_iowa.csv'].flatMap(labelledPoints);
  return {
    pixels: {
      values: Float64Array.from(points.flatMap(({ values }) => values)),
      bands: 64,
      labels: Uint8Array.from(points, ({ cover }) => (cover === 6 ? 1 : 0)),
    },
    lonLats: Float64Array.from(points.flatMap(({ lon, lat }) => [lon, lat])),
  };
}

function madeUp(seed: number, count: number, bands: number): LabelledPixels {
  const random = seededRandom(seed);
  const values = Float64Array.from({ length: count * bands }, () => random() * 2 - 1);
  const labels = Uint8Array.from({ length: count }, (_, i) =>
    i < 2 ? i : values[i * bands] + random() * 2 - 1 > 0 ? 1 : 0,
  );
  return { values, bands, labels };
}

function rowsOf({ labels }: LabelledPixels): Int32Array {
  return Int32Array.from(labels, (_, row) => row);
}

/** The loss as it is defined, computed plainly. */
function lossOf(
  { values, bands, labels }: LabelledPixels,
  { weights, bias }: { readonly weights: readonly number[]; readonly bias: number },
  strength: number,
): number {
  let loss = 0;
  labels.forEach((label, row) => {
    const chance = probabilityAt({ weights, bias }, values, row * bands);
    loss -= strength * Math.log(label === 1 ? chance : 1 - chance);
  });
  for (let band = 0; band < bands; band++) {
    const own = Array.from(labels, (_, row) => values[row * bands + band]);
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    const variance = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length;
    loss += (weights[band] ** 2 * variance) / 2;
  }
  return loss;
}
