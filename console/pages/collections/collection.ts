import type { Answer } from '../../api/client.ts';

export type Collection = Answer<'getCollection'>;

/** Whether plots were to be measured and no dataset had data on any of them: none covers them, or none could be read. */
export function isUnmeasured({ stats, counts }: Pick<Collection, 'stats' | 'counts'>): boolean {
  return stats === true && counts !== null && counts.plots > 0 && counts.measured === 0;
}
