import { ApiError, call, send, type Answer } from './client.ts';
import { readEvents } from './read-events.ts';

export type Task = Answer<'getTask'>;

const AGAIN_MS = 2_000;

/**
 * The states of a task as they change, until it has ended. Throws `ApiError` when the task is not there (any more).
 */
export function followTask(taskId: string, signal: AbortSignal): AsyncGenerator<Task, void> {
  const path = { task_id: taskId };
  return followStates(
    () => call('getTask', { path, signal }),
    () => send('followTask', { path, accept: 'text/event-stream', signal }),
    signal,
  );
}

/**
 * States until one that is not `processing`: by the stream of events that `listen` opens, and by polling where it breaks
 * off. Gives nothing when `poll` finds none.
 */
export async function* followStates(
  poll: () => Promise<Task | null>,
  listen: () => Promise<Pick<Response, 'body'>>,
  signal: AbortSignal,
): AsyncGenerator<Task, void> {
  for (;;) {
    const task = await poll();
    if (task === null) return;
    yield task;
    if (task.status !== 'processing') return;
    try {
      for await (const { data } of readEvents(await listen())) {
        const reported = JSON.parse(data) as Task;
        // `gone` has only the id: polling says why.
        if (reported.status === undefined) break;
        yield reported;
        if (reported.status !== 'processing') return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 404) throw error;
    }
    await pause(AGAIN_MS, signal);
  }
}

/** Waits, unless it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });
}
