import { ApiError, call, send } from '../../api/client.ts';
import { pause, type Task } from '../../api/follow-task.ts';
import { readEvents } from '../../api/read-events.ts';

const AGAIN_MS = 2_000;

/**
 * The states of the task that works on a collection, until it has ended: by the events of `/batch_progress`, and by asking
 * again where they break off. Gives nothing when no task is kept.
 */
export async function* followBatch(collectionId: string, signal: AbortSignal): AsyncGenerator<Task, void> {
  const query = { tracking_id: collectionId };
  for (;;) {
    const { task } = await call('getBatchProgress', { query, accept: 'application/json', signal });
    if (task === null) return;
    yield task;
    if (task.status !== 'processing') return;
    try {
      const response = await send('getBatchProgress', { query, accept: 'text/event-stream', signal });
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
