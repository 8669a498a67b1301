import { ApiError, call, send, type Answer } from './client.ts';
import { readEvents } from './read-events.ts';

export type Task = Answer<'getTask'>;

const AGAIN_MS = 2_000;

/**
 * The states of a task as they change, until it has ended: by its event stream, and by asking again where that breaks off. Throws
 * `ApiError` when the task is not there (any more).
 */
export async function* followTask(taskId: string, signal: AbortSignal): AsyncGenerator<Task, void> {
  const path = { task_id: taskId };
  for (;;) {
    const task = await call('getTask', { path, signal });
    yield task;
    if (task.status !== 'processing') return;
    try {
      const response = await send('followTask', { path, accept: 'text/event-stream', signal });
      for await (const { data } of readEvents(response)) {
        const told = JSON.parse(data) as Task;
        // `gone` tells the id alone: asking says why.
        if (told.status === undefined) break;
        yield told;
        if (told.status !== 'processing') return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 404) throw error;
    }
    await pause(AGAIN_MS, signal);
  }
}

/** Waits, unless it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });
}
