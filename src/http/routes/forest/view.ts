import { forestTaskPaths } from '../../../service/forest/task.ts';
import type { Task } from '../../../jobs/task.ts';

/** The states that the specification has. */
export const FOREST_STATUSES = ['processing', 'completed', 'failed'] as const;
export type ForestStatus = (typeof FOREST_STATUSES)[number];

export const CANCELLED = 'The task was cancelled, so it has no results.';

/**
 * A forest task as clients see it. They wait until it is no longer `processing`, and know no state for a cancelled one:
 * it is `failed`, and its error says why.
 */
export function forestTaskView({ id, status, progress, error }: Task) {
  const cancelled = status === 'cancelled';
  const fault = cancelled ? { code: 'task_cancelled', detail: CANCELLED } : error;
  return {
    task_id: id,
    status: cancelled ? ('failed' as const) : status,
    progress: { done: progress.done, total: progress.total },
    error: fault === null ? null : { code: fault.code, detail: fault.detail },
    ...forestTaskPaths(id),
  };
}
