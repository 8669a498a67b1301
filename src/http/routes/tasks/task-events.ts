import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Tasks } from '../../../jobs/task.ts';
import { taskView } from './task-view.ts';
import { Problem } from '../../../errors.ts';
import { type AnyReply, type AnyRequest, type App, principalOf } from '../../server/app.ts';

export interface TaskEventOptions {
  /** Milliseconds between two looks at the task. */
  readonly pollMs: number;
  /** Milliseconds of silence after which a comment keeps the connection alive. */
  readonly heartbeatMs: number;
}

export const TASK_EVENTS: TaskEventOptions = { pollMs: 1_000, heartbeatMs: 15_000 };

/** For the reference. */
export const EventHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: '`id` of the last event that came before the connection was lost: that state is not sent again.',
    }),
  ),
});

/**
 * The life of a task as Server-Sent Events: `progress` when something changed, then one of `completed`, `failed` and
 * `cancelled` with the task as it ended, or `gone` when it was deleted. Ends there, or when `signal` aborts. Each event has the
 * whole state, so none that was missed is needed; `lastId` is the id of the one that the client has.
 */
export async function* taskEvents(
  tasks: Pick<Tasks, 'get'>,
  userId: string,
  taskId: string,
  signal: AbortSignal,
  options: TaskEventOptions = TASK_EVENTS,
  lastId: string | null = null,
): AsyncGenerator<string> {
  let sent = lastId;
  let silentMs = 0;
  while (!signal.aborted) {
    const task = await tasks.get(userId, taskId);
    if (task === null) {
      yield event('gone', JSON.stringify({ task_id: taskId }));
      return;
    }
    const data = JSON.stringify(taskView(task));
    const id = createHash('sha256').update(data).digest('base64url').slice(0, 16);
    if (task.status !== 'processing') {
      yield event(task.status, data, id);
      return;
    }
    if (id !== sent) {
      yield event('progress', data, id);
      sent = id;
      silentMs = 0;
    } else if (silentMs >= options.heartbeatMs) {
      yield ': still processing\n\n';
      silentMs = 0;
    }
    await wait(options.pollMs, undefined, { signal }).catch(() => {});
    silentMs += options.pollMs;
  }
}

function event(name: string, data: string, id?: string): string {
  return `event: ${name}\ndata: ${data}\n${id === undefined ? '' : `id: ${id}\n`}\n`;
}

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
  const lastId = request.headers['last-event-id'];
  const signal = AbortSignal.any([left.signal, app.draining]);
  return reply.send(
    Readable.from(taskEvents(tasks, userId, taskId, signal, options, typeof lastId === 'string' ? lastId : null)),
  );
}

function openStreams(tasks: Tasks): Map<string, number> {
  const known = OPEN.get(tasks);
  if (known !== undefined) return known;
  const made = new Map<string, number>();
  OPEN.set(tasks, made);
  return made;
}
