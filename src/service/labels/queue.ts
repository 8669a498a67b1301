import { MAX_CRASHES } from '../../db/tasks/crash-limits.ts';
import type { TaskError } from '../../jobs/task.ts';
import type { Progress, TaskQueue } from '../../jobs/task-queue.ts';
import type { TaskRun } from '../../jobs/checkpoints.ts';

/** How a task of a local queue ended. */
type LocalOutcome = { readonly error: null } | { readonly error: TaskError };

/** Called with the tasks of a local queue, by their place in it. */
interface LocalEvents {
  progress(index: number, progress: Progress): void;
  ended(index: number, outcome: LocalOutcome): void;
}

/**
 * Tasks of one process that no other has to know of: a queue without a database for the task runner. What is finished is
 * recorded where the work is done, so nothing is lost with the process.
 */
export function createLocalQueue(kind: string, params: readonly unknown[], events: LocalEvents): TaskQueue {
  const waiting = params.map((_, index) => index);
  const attempts = params.map(() => 0);
  const crashes = params.map(() => 0);
  const running = new Set<number>();

  function end({ id }: TaskRun, outcome: LocalOutcome): boolean {
    const index = Number(id);
    if (!running.delete(index)) return false;
    events.ended(index, outcome);
    return true;
  }

  function again({ id }: TaskRun): boolean {
    const index = Number(id);
    if (!running.delete(index)) return false;
    waiting.unshift(index);
    return true;
  }

  return {
    async claim(kinds, { extraPlace = false } = {}) {
      const isTurn = kinds.includes(kind) && !(extraPlace && running.size > 0);
      const index = isTurn ? waiting.shift() : undefined;
      if (index === undefined) return null;
      running.add(index);
      attempts[index]++;
      return { id: String(index), attempt: attempts[index], kind, params: params[index] };
    },
    async renew(runs) {
      for (const { id, progress } of runs) if (progress !== null) events.progress(Number(id), progress);
      return new Set(runs.map(({ id }) => id).filter((id) => running.has(Number(id))));
    },
    readInput: async () => null,
    writeOutput: async (run) => running.has(Number(run.id)),
    complete: async (run) => end(run, { error: null }),
    fail: async (run, error) => end(run, { error }),
    giveBack: async (run) => again(run),
    // A tile has no input: its embeddings are read by its handler.
    postpone: async (run) => (again(run) ? 'later' : 'lost'),
    async reportCrash(run) {
      const index = Number(run.id);
      if (++crashes[index] < MAX_CRASHES) return again(run) ? 'again' : 'lost';
      const detail = `its worker stopped unexpectedly ${crashes[index]} times`;
      return end(run, { error: { code: 'task_failed', detail } }) ? 'failed' : 'lost';
    },
    reapExpired: async () => 0,
    deleteExpired: async () => 0,
    onSignal: () => () => {},
  };
}
