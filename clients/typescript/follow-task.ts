import { FirstmileError } from './problems.ts';
import { readEvents } from './read-events.ts';
import type { Operations } from './schema.ts';
import { readJson, sendRequest, unread, type ServiceRequest, type Transport } from './send-request.ts';

export type Task = Operations['getTask']['answer'];
type Work = Extract<Operations['getBatchProgress']['answer'], { task: unknown }>;

const AGAIN_MS = 2_000;
/** The service breaks its silence every 15 s. */
const SILENCE_MS = 45_000;

/** The states of a task as they change, until it has ended. Throws `NotFound` when the task is not there (any more). */
export function followTask(transport: Transport, taskId: string, signal?: AbortSignal): AsyncGenerator<Task, void> {
  const path = { task_id: taskId };
  const polled = { method: 'GET', template: '/tasks/{task_id}', path, signal };
  const followed = { ...polled, template: '/tasks/{task_id}/events' };
  return followStates(transport, followed, () => sendRequest(transport, polled, readJson<Task>), signal);
}

/** The same for the last task of a collection, by its id, or for the id of a batch. Gives nothing where none was begun. */
export function followBatch(transport: Transport, id: string, signal?: AbortSignal): AsyncGenerator<Task, void> {
  const request = { method: 'GET', template: '/batch_progress', query: { tracking_id: id }, signal };
  const poll = async (): Promise<Task | null> => (await sendRequest(transport, request, readJson<Work>)).task;
  return followStates(transport, request, poll, signal);
}

/**
 * States until one that is not `processing`, each once: by the stream of events, from the last event on, and by polling where it
 * breaks off. Gives nothing when `poll` finds none.
 */
async function* followStates(
  transport: Transport,
  followed: ServiceRequest,
  poll: () => Promise<Task | null>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Task, void> {
  let last = '';
  let lastEventId: string | null = null;
  const isNew = (task: Task): boolean => last !== (last = JSON.stringify(task));
  for (;;) {
    const task = await poll();
    if (task === null) return;
    if (isNew(task)) yield task;
    if (task.status !== 'processing') return;
    try {
      const headers: Record<string, string> | undefined =
        lastEventId === null ? undefined : { 'last-event-id': lastEventId };
      const answer: Response = await sendRequest(
        transport,
        { ...followed, accept: 'text/event-stream', headers },
        unread,
      );
      for await (const { data, id } of readEvents(answer, Math.min(SILENCE_MS, transport.silenceMs), signal)) {
        const reported = JSON.parse(data) as Task;
        // `gone` has only the id: polling says why.
        if (reported.status === undefined) break;
        lastEventId = id === '' ? null : id;
        if (isNew(reported)) yield reported;
        if (reported.status !== 'processing') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof FirstmileError && error.status === 404) throw error;
    }
    await transport.wait(AGAIN_MS, signal);
  }
}
