import { scoreHundredths } from '../score.ts';
import type { Evidence, Indicator, Status } from './evidence.ts';
import { SUBJECTS } from './unknown.ts';
import { WARNINGS } from './warnings.ts';

/** The parts of a rated facility that its score can be explained from. */
interface Receipt {
  readonly confidence_score: number;
  readonly evidence: readonly Pick<Evidence, 'indicator' | 'status' | 'value' | 'penalty' | 'weight' | 'detail'>[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

const MEANINGS: Readonly<Record<Status, string>> = {
  present: 'A dataset that covers the place found it.',
  absent: 'A dataset that covers what was searched found none.',
  unknown: 'Nobody looked, or nobody could. This is not the same as absent.',
};

/** A score in words and numbers, from its receipt alone: nothing is looked up again. */
export function explainReceipt({ confidence_score: stated, evidence, warnings }: Receipt) {
  const hundredths = evidence.map(({ penalty }) => Math.round(penalty * 100));
  const expected = evidence.length === 0 ? null : scoreHundredths(hundredths) / 100;
  return {
    arithmetic: {
      begins_at: 1,
      penalties: evidence
        .filter(({ penalty }) => penalty > 0)
        .map(({ indicator, penalty }) => ({ indicator, penalty })),
      expected_score: expected,
      stated_score: stated,
      agrees: expected === null ? null : expected === stated,
    },
    indicators: evidence.map(({ indicator, status, value, penalty, weight, detail }) => ({
      indicator,
      looked_for: subjectOf(indicator).words,
      within_m: subjectOf(indicator).withinM ?? null,
      status,
      means: MEANINGS[status],
      value,
      penalty,
      most_it_can_take: weight,
      detail,
    })),
    not_known: evidence
      .filter(({ status, weight }) => status === 'unknown' && weight > 0)
      .map(({ indicator }) => indicator),
    warnings: warnings.map(({ code, message }) => ({ code, message, fix: fixOf(code) })),
    read_more: ['/docs/how-a-score-is-made', '/docs/warnings'],
  };
}

function subjectOf(indicator: Indicator): { readonly words: string; readonly withinM?: number } {
  return SUBJECTS[indicator];
}

/** Null for a code of another version. */
function fixOf(code: string): string | null {
  return Object.hasOwn(WARNINGS, code) ? WARNINGS[code as keyof typeof WARNINGS].fix : null;
}
