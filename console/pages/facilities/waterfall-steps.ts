import type { EvidenceItem } from './evidence.ts';

/** One penalty, in whole hundredths. */
interface Step {
  readonly indicator: string;
  readonly penalty: number;
  readonly before: number;
  readonly after: number;
  /** Taken off because it is unknown, not because anything was found wanting. */
  readonly isUnknown: boolean;
}

/** The penalties of a receipt in its order, each from where the one before left off; nothing goes below 0. */
export function waterfallSteps(
  evidence: readonly Pick<EvidenceItem, 'indicator' | 'penalty' | 'status' | 'value_up_to'>[],
): readonly Step[] {
  const steps: Step[] = [];
  let rest = 100;
  for (const { indicator, penalty, status, value_up_to: upTo } of evidence) {
    const hundredths = Math.round(penalty * 100);
    if (hundredths === 0) continue;
    const after = Math.max(0, rest - hundredths);
    steps.push({
      indicator,
      penalty: hundredths,
      before: rest,
      after,
      isUnknown: status === 'unknown' || upTo !== undefined,
    });
    rest = after;
  }
  return steps;
}
