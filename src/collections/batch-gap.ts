import { counted } from '../counted.ts';
import type { Collection } from './collection.ts';

/** What a completed batch leaves open, in words: then it is no plain success. Null: nothing. */
export function batchGap({ options, counts }: Pick<Collection, 'options' | 'counts'>): string | null {
  if (counts === null) return null;
  const notMeasured = options?.statistics === true ? counts.plots - counts.measured : 0;
  if (notMeasured > 0 && counts.measured === 0) return 'nothing measured';
  if (notMeasured > 0) return `${notMeasured} not measured`;
  return counts.problems > 0 ? `${counted(counts.problems, 'problem')}` : null;
}
