import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import {
  codesOf,
  MODEL_FOLDER,
  PUBLISHED,
  randomHead,
  readPublished,
  testVectors,
} from '../../../test/detection-heads.ts';
import { seededRandom } from '../seeded-random.ts';
import { needsSharedData } from '../../../test/shared-data.ts';
import { BANDS } from '../segmentation/grid.ts';
import { calibrate, evaluatePlain, rawScore } from './evaluate-plain.ts';
import { createEvaluator } from './evaluate.ts';
import type { Activation } from './head.ts';

/** How far a probability may be from the original graph's, and the fast path from the plain one. */
const TOLERANCE = 1e-5;

for (const head of PUBLISHED) {
  test(`${head.commodity}: both paths give what the original graph gave`, needsSharedData(MODEL_FOLDER), async () => {
    const read = await readPublished(head);
    const vectors = testVectors()[head.commodity];
    assert.ok(vectors.length >= 6);
    const fast = createEvaluator(read).evaluate(codesOf(vectors.flatMap(({ x }) => x)));
    vectors.forEach(({ x, raw, calibrated }, i) => {
      const score = rawScore(read, x);
      assertNear(score, raw);
      assertNear(calibrate(read.calibration, score), calibrated);
      assertNear(fast[i], calibrated);
    });
  });
}

test('the fast path equals the plain one for heads of any width, and any number of pixels', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom<Activation>('tanh', 'gelu', 'relu'),
      fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 70 }),
      (seed, activation, widths, pixels) => {
        const head = randomHead(seed, activation, widths);
        const codes = randomCodes(seed, pixels);
        const fast = createEvaluator(head).evaluate(codes);
        evaluatePlain(head, codes).forEach((wanted, i) => assertNear(fast[i], wanted));
      },
    ),
    { numRuns: runs(100, 12) },
  );
});

test('a pixel with one band without data has no probability, and its neighbours keep theirs', () => {
  const head = randomHead(1, 'tanh', [20]);
  const codes = randomCodes(2, 40);
  const evaluator = createEvaluator(head);
  const before = evaluator.evaluate(codes);
  codes[7 * BANDS + 63] = -128;
  const after = evaluator.evaluate(codes);
  before[7] = Number.NaN;
  assert.deepEqual(after, before);
  assert.ok(Number.isNaN(evaluatePlain(head, codes)[7]));
});

test('values far beyond those of embeddings neither overflow nor turn into nothing', () => {
  for (const activation of ['tanh', 'gelu', 'relu'] as const) {
    const tame = randomHead(3, activation, [16, 8]);
    const head = { ...tame, slopes: tame.slopes.map((slope) => slope * 1000) };
    const codes = randomCodes(4, 33);
    const fast = createEvaluator(head).evaluate(codes);
    evaluatePlain(head, codes).forEach((wanted, i) => assertNear(fast[i], wanted));
  }
});

test('a score on a threshold of the calibration belongs to the piece above it', () => {
  const { calibration } = randomHead(5, 'tanh', [4]);
  const steps = { ...calibration, slopes: Float64Array.of(0, 0, 0), intercepts: Float64Array.of(1, 2, 3) };
  assert.deepEqual(
    [0, 0.2499, 0.25, 0.4999, 0.5, 1].map((raw) => calibrate(steps, raw)),
    [1, 1, 2, 2, 3, 3],
  );
});

function randomCodes(seed: number, pixels: number): Int8Array {
  const random = seededRandom(seed);
  return Int8Array.from({ length: pixels * BANDS }, () => Math.floor(random() * 255) - 127);
}

function assertNear(got: number, wanted: number): void {
  assert.ok(Math.abs(got - wanted) <= TOLERANCE, `wanted ${wanted}, got ${got}`);
}
