import type { ConfidenceLevel } from './thresholds.ts';

/** The levels a batch can have by majority, most cautious first: of two that are equally common the earlier one wins. */
const BY_CAUTION = ['invalid', 'medium', 'high'] as const satisfies readonly ConfidenceLevel[];

/**
 * The one level stored for a whole batch: `low` when any facility is low, otherwise the most common one. A tie goes to
 * the more cautious level, and a batch without facilities is `invalid`.
 */
export function batchLevel(counts: Readonly<Record<ConfidenceLevel, number>>): ConfidenceLevel {
  if (counts.low > 0) return 'low';
  return BY_CAUTION.reduce((best, level) => (counts[level] > counts[best] ? level : best));
}
