import type { Collection } from './collection.ts';

export type Run = Collection['runs'][number];

interface ChosenRuns {
  readonly before: Run;
  readonly after: Run;
  /** What could be chosen in place of either, the newest first. */
  readonly earlier: readonly Run[];
  readonly later: readonly Run[];
}

/**
 * The two batches that an address names by `before` and `after`, of those that measured; else the last one and the one before.
 * `runs` are the newest first. Null where there are no two.
 */
export function chooseRuns(runs: readonly Run[], before: string | null, after: string | null): ChosenRuns | null {
  const measured = runs.filter(({ stats }) => stats);
  const later = measured.slice(0, -1);
  const place = Math.max(
    0,
    later.findIndex(({ run_id: id }) => id === after),
  );
  const earlier = measured.slice(place + 1);
  const [first] = earlier;
  if (first === undefined) return null;
  return {
    before: earlier.find(({ run_id: id }) => id === before) ?? first,
    after: measured[place]!,
    earlier,
    later,
  };
}
