import { setTimeout as wait } from 'node:timers/promises';
import type { Tasks } from '../../../jobs/task.ts';
import { taskView } from './task-view.ts';

export interface TaskEventOptions {
  /** Milliseconds between two looks at the task. */
  readonly pollMs: number;
  /** Milliseconds of silence after which a comment keeps the connection alive. */
  readonly heartbeatMs: number;
}

export const TASK_EVENTS: TaskEventOptions = { pollMs: 1_000, heartbeatMs: 15_000 };

/**
 * The life of a task as Server-Sent Events: `progress` when something changed, then one of `completed`, `failed` and
 * `cancelled` with the task as it ended, or `gone` when it was deleted. Ends there, or when `signal` aborts.
 */
export async function* taskEvents(
  tasks: Pick<Tasks, 'get'>,
  userId: string,
  taskId: string,
  signal: AbortSignal,
  options: TaskEventOptions = TASK_EVENTS,
): AsyncGenerator<string> {
  let sent = '';
  let silentMs = 0;
  while (!signal.aborted) {
    const task = await tasks.get(userId, taskId);
    if (task === null) {
      yield event('gone', JSON.stringify({ task_id: taskId }));
      return;
    }
    const data = JSON.stringify(taskView(task));
    if (task.status !== 'processing') {
      yield event(task.status, data);
      return;
    }
    if (data !== sent) {
      yield event('progress', data);
      sent = data;
      silentMs = 0;
    } else if (silentMs >= options.heartbeatMs) {
      yield ': still processing\n\n';
      silentMs = 0;
    }
    await wait(options.pollMs, undefined, { signal }).catch(() => {});
    silentMs += options.pollMs;
  }
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}
