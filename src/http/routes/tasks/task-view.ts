import { Type, type Static } from 'typebox';
import { Problem } from '../../../errors.ts';
import { pollAfterS, type Task, TASK_STATUSES, type TaskStatus } from '../../../jobs/task.ts';
import { codesOf } from '../../../messages/recognised/codes-of.ts';
import { Messages } from '../messages-schema.ts';
import type { AnyReply } from '../../server/app.ts';

/** What an id of a task looks like; anything else need not be looked for. */
export const TASK_ID = /^[\w-]{1,100}$/;

export const StatusSchema = Type.Unsafe<TaskStatus>({ type: 'string', enum: TASK_STATUSES });

export const TaskSchema = Type.Object(
  {
    task_id: Type.String(),
    kind: Type.String({ examples: ['validate_facilities'] }),
    status: StatusSchema,
    progress: Type.Object(
      {
        done: Type.Integer(),
        total: Type.Union([Type.Integer(), Type.Null()], { description: 'null until it is known.' }),
      },
      { description: 'Work done and total work, in features, points or tiles.' },
    ),
    phase: Type.Union([Type.String(), Type.Null()], {
      description: 'The current phase, where a task has phases; null otherwise.',
    }),
    attempt: Type.Integer({ description: 'Times a worker has begun the task.' }),
    error: Type.Union([Type.Object({ code: Type.String(), detail: Type.String(), messages: Messages }), Type.Null()], {
      description: 'Why it failed.',
    }),
    result_type: Type.Union([Type.String(), Type.Null()], { description: 'Media type of the results.' }),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the task and its results are deleted.',
    }),
    file: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the file it was given, as the client named it; null where there was none.',
    }),
    commodity: Type.Union([Type.String(), Type.Null()], {
      description: 'Commodity of the request; null: what the rows say.',
    }),
    outcome: Type.Union(
      [
        Type.Object({
          facilities: Type.Record(Type.String(), Type.Integer(), {
            description: 'By level: high, medium, low, unverified (too little was assessed) and invalid.',
          }),
          plots: Type.Record(Type.String(), Type.Integer(), {
            description: 'By confidence in the location: high, medium, low and invalid.',
          }),
          not_processed: Type.Integer({ description: 'Rows without a place, or set aside.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'What became of its locations, counted; null until it is completed and for kinds that count nothing.',
      },
    ),
    poll_url: Type.String(),
    results_url: Type.String(),
    events_url: Type.String(),
  },
  { description: 'The task.' },
);
type TaskView = Static<typeof TaskSchema>;

/** A task as clients see it. */
export function taskView(task: Task): TaskView {
  return {
    task_id: task.id,
    kind: task.kind,
    status: task.status,
    progress: { done: task.progress.done, total: task.progress.total },
    phase: task.phase,
    attempt: task.attempt,
    error:
      task.error === null
        ? null
        : { code: task.error.code, detail: task.error.detail, ...codesOf({ detail: task.error.detail }) },
    result_type: task.resultType,
    created_at: task.createdAt.toISOString(),
    finished_at: task.finishedAt?.toISOString() ?? null,
    expires_at: task.expiresAt?.toISOString() ?? null,
    file: task.about.file,
    commodity: task.about.commodity,
    outcome: task.about.outcome as TaskView['outcome'],
    poll_url: `/tasks/${task.id}`,
    results_url: `/tasks/${task.id}/results`,
    events_url: `/tasks/${task.id}/events`,
  };
}

/** The answer of a request that became a task: 202 with `Location` and `Retry-After`. */
export function acceptTask(reply: AnyReply, task: Task): TaskView {
  const view = taskView(task);
  reply.code(202).header('location', view.poll_url);
  setRetryAfter(reply, task);
  return view;
}

/** `Retry-After` while the task is unfinished. */
export function setRetryAfter(reply: AnyReply, task: Task | null): void {
  if (task?.status === 'processing') reply.header('retry-after', String(pollAfterS(task, Date.now())));
}

/** The refusal of results that are not there yet. */
export function notReady(task: Task): Problem {
  return new Problem('task_not_ready', 'The task is still processing.', { retryAfterS: pollAfterS(task, Date.now()) });
}
