import type { Answer } from '../../api/client.ts';

export type Collection = Answer<'getCollection'>;
type Counted = Pick<Collection, 'stats' | 'counts'>;

/** Whether plots were to be measured and of none of them anything is known: no dataset covers them, or none could be read. */
export function isUnmeasured({ stats, counts }: Counted): boolean {
  return stats === true && counts !== null && counts.plots > 0 && counts.measured === 0;
}

/** What a completed batch leaves open, so that it is no plain success: the gravest of it, with how many; null: nothing. */
export function gapOf(
  collection: Counted,
): { readonly name: 'unmeasured' | 'notMeasured' | 'problems'; readonly count: number } | null {
  const { stats, counts } = collection;
  if (counts === null) return null;
  const notMeasured = stats === true ? counts.plots - counts.measured : 0;
  if (isUnmeasured(collection)) return { name: 'unmeasured', count: notMeasured };
  if (notMeasured > 0) return { name: 'notMeasured', count: notMeasured };
  return counts.problems > 0 ? { name: 'problems', count: counts.problems } : null;
}
