import { Readable } from 'node:stream';
import { Problem } from '../../../errors.ts';
import type { Tasks } from '../../../jobs/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { TASK_EVENTS, taskEvents, type TaskEventOptions } from './task-events.ts';

/** Event streams one principal may hold open at the same time. */
export const MAX_EVENT_STREAMS = 20;

/** Streams that are open, by principal, counted over all routes that follow the same tasks. */
const OPEN = new WeakMap<Tasks, Map<string, number>>();

/** Answers with the events of a task of the caller until it ends or the caller leaves. */
export function sendTaskEvents(
  app: App,
  request: AnyRequest,
  reply: AnyReply,
  tasks: Tasks,
  taskId: string,
  options: TaskEventOptions = TASK_EVENTS,
): AnyReply {
  const { key, userId } = principalOf(request);
  // Its `close` has passed already; waiting for it would count the stream for ever.
  if (reply.raw.destroyed) throw new Problem('client_closed_request', 'The client closed the connection.');
  const open = openStreams(tasks);
  const streams = open.get(key) ?? 0;
  if (streams >= MAX_EVENT_STREAMS)
    throw new Problem('rate_limited', `Wanted at most ${MAX_EVENT_STREAMS} event streams open at the same time.`, {
      retryAfterS: 5,
    });
  open.set(key, streams + 1);
  const left = new AbortController();
  reply.raw.once('close', () => {
    left.abort();
    const rest = (open.get(key) ?? 1) - 1;
    if (rest === 0) open.delete(key);
    else open.set(key, rest);
  });
  // A proxy that buffers would hold the events back.
  reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  return reply.send(
    Readable.from(taskEvents(tasks, userId, taskId, AbortSignal.any([left.signal, app.draining]), options)),
  );
}

function openStreams(tasks: Tasks): Map<string, number> {
  const known = OPEN.get(tasks);
  if (known !== undefined) return known;
  const made = new Map<string, number>();
  OPEN.set(tasks, made);
  return made;
}
