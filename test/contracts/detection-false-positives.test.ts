import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEvaluator } from '../../src/geo/detection/evaluate.ts';
import { evaluateLogistic } from '../../src/geo/detection/logistic-head.ts';
import { LOGISTIC_HEADS } from '../../src/geo/detection/logistic-heads.ts';
import { codesOfPoints, MODEL_FOLDER, PUBLISHED, readPublished } from '../detection-heads.ts';
import { needsSharedData } from '../shared-data.ts';

/** 720 points each: fields in Iowa, which are off the heads' latitudes, and all covers around Manaus. */
const PLACES = ['points_iowa.csv', 'points_amazon.csv'] as const;

/** Points at or above each threshold. None of these places is known to grow the commodity. Stated in the documentation. */
const COUNTED: Readonly<Record<string, readonly (readonly [threshold: number, iowa: number, amazon: number])[]>> = {
  palm: [
    [0.22, 0, 0],
    [0.66, 0, 0],
  ],
  rubber: [
    [0.35, 0, 0],
    [0.44, 0, 0],
  ],
  cocoa: [
    [0.5, 0, 0],
    [0.9, 0, 0],
  ],
  coffee: [[0.28, 0, 0]],
};

for (const published of PUBLISHED) {
  const { commodity, threshold } = published;
  test(
    `${commodity}: false positives at the published thresholds are those documented`,
    needsSharedData(MODEL_FOLDER),
    async () => {
      const evaluator = createEvaluator(await readPublished(published));
      const probabilities = PLACES.map((place) => evaluator.evaluate(codesOfPoints(place)));
      for (const found of probabilities) assert.equal(found.length, 720);
      const counts = COUNTED[commodity].map(([least]) => [
        least,
        ...probabilities.map((found) => found.filter((probability) => probability >= least).length),
      ]);
      assert.deepEqual(counts, COUNTED[commodity]);
      assert.ok(COUNTED[commodity].some(([least]) => least === threshold));
    },
  );
}

test(
  'the head of natural tropical forest calls no point in Iowa forest, and 72 of 720 around Manaus',
  needsSharedData('aef'),
  () => {
    const [iowa, amazon] = PLACES.map(
      (place) =>
        evaluateLogistic(LOGISTIC_HEADS['natural-tropical-forest'], codesOfPoints(place)).filter((p) => p >= 0.5)
          .length,
    );
    assert.equal(iowa, 0);
    assert.equal(amazon, 72);
  },
);
