import { call, send } from '../../../api/client.ts';
import { followStates, type Task } from '../../../api/follow-task.ts';

/** The states of the task that works on a collection, until it has ended; nothing when no task is kept. */
export function followBatch(collectionId: string, signal: AbortSignal): AsyncGenerator<Task, void> {
  const query = { tracking_id: collectionId };
  return followStates(
    async () => (await call('getBatchProgress', { query, accept: 'application/json', signal })).task,
    () => send('getBatchProgress', { query, accept: 'text/event-stream', signal }),
    signal,
  );
}
