import { calibrate, evaluatePlain, rawScore } from '../geo/detection/evaluate-plain.ts';
import { createEvaluator } from '../geo/detection/evaluate.ts';
import type { DetectionHead } from '../geo/detection/head.ts';
import { BANDS } from '../geo/segmentation/grid.ts';

/** A pixel with what the original model made of it. */
export interface TestVector {
  /** 64 values. */
  readonly x: readonly number[];
  readonly calibrated: number;
}

/** Largest difference of probabilities that passes. */
const TOLERANCE = 1e-5;
/** Pixels made up to compare the two ways to evaluate a head. */
const PIXELS = 256;

/** Compares the fast way to evaluate a head with the plain one on made-up pixels, and the plain one with the vectors. */
export function testHead(head: DetectionHead, vectors: readonly TestVector[]) {
  const codes = Int8Array.from({ length: PIXELS * BANDS }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >> 24) % 60);
  const plain = evaluatePlain(head, codes);
  const fast = createEvaluator(head).evaluate(codes);
  const differences = [
    ...plain.map((probability, i) => Math.abs(probability - fast[i])),
    ...vectors.map(({ x, calibrated }) => Math.abs(calibrate(head.calibration, rawScore(head, x)) - calibrated)),
  ];
  const worst = Math.max(...differences);
  return { pixels: PIXELS + vectors.length, worst, passed: worst <= TOLERANCE };
}
