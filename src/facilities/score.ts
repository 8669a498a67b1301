import type { Indicator } from './evidence/evidence.ts';
import { LEVELS, PENALTIES, type ConfidenceLevel } from './thresholds.ts';

/** The penalty in hundredths for a value of an indicator; 0 for indicators that are never scored. */
export function penaltyHundredths(indicator: Indicator, value: number): number {
  const hundredths = Math.round(value * 100);
  for (const rule of PENALTIES) {
    if (rule.indicator === indicator && hundredths >= rule.from && hundredths <= rule.to) return rule.hundredths;
  }
  return 0;
}

/** 100 less the penalties, in hundredths from 0 to 100. Whole numbers all the way, so that 100 - 25 - 15 - 15 is 45. */
export function scoreHundredths(penalties: Iterable<number>): number {
  let score = 100;
  for (const penalty of penalties) score -= penalty;
  return Math.max(0, Math.min(100, score));
}

/** The level of a scored facility; `failed` is true when its country, latitude or commodity check failed. */
export function levelOf(hundredths: number, failed: boolean): Exclude<ConfidenceLevel, 'invalid'> {
  return failed ? 'low' : (LEVELS.find(({ from }) => hundredths >= from)?.level ?? 'low');
}
