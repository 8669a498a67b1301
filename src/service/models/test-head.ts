import { calibrate, checkPixels, evaluatePlain, rawScore } from '../../geo/detection/evaluate-plain.ts';
import { createEvaluator } from '../../geo/detection/evaluate.ts';
import type { DetectionHead } from '../../geo/detection/head.ts';
import { headNumbers, OWN_HEADS } from '../detection/heads.ts';
import { installedHeads, openCheckedHead, type DataFolder, type InstalledHead } from './installed-models.ts';

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

/** What a head was compared with, and how far off it was. */
export interface HeadTest {
  /** Made-up pixels, on which the fast way to evaluate the head was compared with the plain one. */
  readonly pixels: number;
  /** Of these, the ones compared with what the plain way gave when the head was stored. */
  readonly kept: number;
  /** Pixels of the original model. */
  readonly vectors: number;
  /** Largest difference of probabilities. */
  readonly worst: number;
  readonly passed: boolean;
}

/**
 * Compares the fast way to evaluate a head with the plain one on made-up pixels, both with what the plain one gave when the
 * head was stored (`kept`, of the first of these pixels), and the plain one with the vectors.
 */
export function testHead(head: DetectionHead, kept: ArrayLike<number>, vectors: readonly TestVector[]): HeadTest {
  const codes = checkPixels(PIXELS);
  const plain = evaluatePlain(head, codes);
  const fast = createEvaluator(head).evaluate(codes);
  const differences = [
    ...plain.map((probability, i) => Math.abs(probability - fast[i])),
    ...Array.from(kept, (probability, i) =>
      Math.max(Math.abs(probability - plain[i]), Math.abs(probability - fast[i])),
    ),
    ...vectors.map(({ x, calibrated }) => Math.abs(calibrate(head.calibration, rawScore(head, x)) - calibrated)),
  ];
  const worst = Math.max(...differences);
  // What is no number has not passed.
  return { pixels: PIXELS, kept: kept.length, vectors: vectors.length, worst, passed: worst <= TOLERANCE };
}

/** Opens a head with what was kept of it; the one that ships with the service has nothing of the kind. */
export async function openForTest(
  head: InstalledHead,
): Promise<{ readonly head: DetectionHead; readonly kept: Float64Array }> {
  return head.path === '' ? { head: await headNumbers(head), kept: new Float64Array(0) } : openCheckedHead(head);
}

/** The heads there are to test: those installed, and those that ship with the service. */
export async function headsToTest(config: DataFolder): Promise<readonly InstalledHead[]> {
  return [...(await installedHeads(config)), ...OWN_HEADS];
}
