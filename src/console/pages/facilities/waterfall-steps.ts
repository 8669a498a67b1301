import type { EvidenceItem } from './evidence.ts';

/** One penalty, in whole hundredths. */
export interface Step {
  readonly indicator: string;
  readonly penalty: number;
  readonly before: number;
  readonly after: number;
}

/** The penalties of a receipt in its order, each from where the one before left off; nothing goes below 0. */
export function waterfallSteps(evidence: readonly Pick<EvidenceItem, 'indicator' | 'penalty'>[]): readonly Step[] {
  const steps: Step[] = [];
  let rest = 100;
  for (const { indicator, penalty } of evidence) {
    const hundredths = Math.round(penalty * 100);
    if (hundredths === 0) continue;
    const after = Math.max(0, rest - hundredths);
    steps.push({ indicator, penalty: hundredths, before: rest, after });
    rest = after;
  }
  return steps;
}
