import type { TaskContext } from '../../jobs/task.ts';

import { aheadWith, type ReadAhead } from './read-ahead.ts';

/** What a task is at while cells are fetched; `otherwise` when they are all there. */
export function fetchPhase(done: number, total: number, otherwise: string | undefined): string | undefined {
  return done < total ? `fetching map data, ${done} of ${total} cells` : otherwise;
}

/**
 * The progress of a task that reads ahead: while its locations wait for cells, its phase says how many are there. Give the task
 * both in place of its own.
 */
export function followFetching(
  fetchAhead: ReadAhead | undefined,
  progress: TaskContext['progress'],
): { readonly progress: TaskContext['progress']; readonly fetchAhead?: ReadAhead } {
  let last: Parameters<TaskContext['progress']> = [0, null];
  const onProgress = (fetched: number, cells: number): void => {
    const [done, total, phase] = last;
    progress(done, total, fetchPhase(fetched, cells, phase));
  };
  return {
    progress: (...now) => progress(...(last = now)),
    ...aheadWith(fetchAhead, { onProgress }),
  };
}
