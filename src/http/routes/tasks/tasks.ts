import type { Config } from '../../../config/settings.ts';
import { Type } from 'typebox';
import type { Principal } from '../../../auth/principal.ts';
import type { Scope } from '../../../auth/scopes.ts';
import { requireScope } from '../../../auth/authenticate.ts';
import { Problem } from '../../../errors.ts';
import type { Task, Tasks } from '../../../jobs/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { etagMatches, etagOf } from '../../guards/etag.ts';
import { EventHeaders, sendTaskEvents, TASK_EVENTS, type TaskEventOptions } from './task-events.ts';
import type { ReviewService } from '../../../service/reviews/reviews.ts';
import { reviewedResults } from '../../../service/reviews/reviewed-results.ts';
import { TASK_ID, setRetryAfter, notReady, StatusSchema, TaskSchema, taskView } from './task-view.ts';
import { BATCH_TASK, CHECK_TASK } from '../../../service/collections/collection-task.ts';
import { EXPORT_TASK } from '../../../service/collections/export-task.ts';
import { FACILITY_TASK } from '../../../service/facilities/facility-task.ts';
import { FOREST_TASK } from '../../../service/forest/task.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from '../../../service/locations/location-task.ts';
import { LABEL_TASK } from '../../../service/labels/store-task.ts';
import type { TASK_KINDS } from '../../../service/task-kinds.ts';
import { streamed } from '../../server/send-features.ts';

/** The scope that begins a task of each kind, and that its state, results and cancellation need as well. */
const TASK_SCOPES: Readonly<Record<string, Scope>> = {
  [FACILITY_TASK]: 'validate',
  [NORMALIZE_TASK]: 'validate',
  [VALIDATE_TASK]: 'validate',
  [FOREST_TASK]: 'forest',
  [LABEL_TASK]: 'admin',
  [BATCH_TASK]: 'collections',
  [CHECK_TASK]: 'collections',
  [EXPORT_TASK]: 'collections',
} satisfies Record<(typeof TASK_KINDS)[number], Scope>;

const MAX_PAGE = 100;

type Reviews = Pick<ReviewService, 'all'>;

const Params = Type.Object({
  task_id: Type.String({
    description: 'From the answer that accepted the task.',
    examples: ['7a0f3f0c-55a4-4c1f-9b8e-1d2c3b4a5f60'],
  }),
});

const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 20, description: 'Tasks a page.' })),
    before: Type.Optional(
      Type.String({
        pattern: TASK_ID.source,
        description: '`next` of the previous page.',
        examples: ['7a0f3f0c-55a4-4c1f-9b8e-1d2c3b4a5f60'],
      }),
    ),
    status: Type.Optional(StatusSchema),
  },
  { additionalProperties: false },
);

const ResultsQuery = Type.Object(
  {
    reviews: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Of rated places: add `review_state`, `review_note`, `review_by` and `review_at` to each row, as they are now. Such results change with each review and have no `ETag`.',
      }),
    ),
  },
  { additionalProperties: false },
);

const Page = Type.Object(
  {
    tasks: Type.Array(TaskSchema),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Give it as `before` to get the next page; null on the last.',
    }),
  },
  { description: 'One page.' },
);

/**
 * The tasks of the caller: list, state, results, cancellation, events. Those of others do not exist here, and each needs the
 * scope that began it.
 */
export function taskRoutes(
  tasks: Tasks,
  reviews: Reviews,
  { resultLinkMb }: Pick<Config, 'resultLinkMb'>,
  events: TaskEventOptions = TASK_EVENTS,
) {
  return (app: App): void => {
    listRoute(app, tasks);
    stateRoute(app, tasks);
    cancelRoute(app, tasks);
    resultsRoute(app, tasks, reviews, resultLinkMb);
    eventRoute(app, tasks, events);
  };
}

function listRoute(app: App, tasks: Tasks): void {
  app.get(
    '/tasks',
    {
      config: { polling: true, access: 'authenticated' },
      schema: {
        operationId: 'listTasks',
        summary: 'Your tasks, newest first',
        description:
          'A page of the tasks of the user who makes the request, of the kinds that the scopes of the credential cover.',
        tags: ['tasks'],
        querystring: PageQuery,
        response: { 200: Page },
      },
    },
    async (request) => {
      const { limit = 20, before, status } = request.query;
      const page = {
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
        ...(status === undefined ? {} : { status }),
        withoutKinds: kindsBeyond(principalOf(request)),
      };
      const found = await tasks.list(principalOf(request).userId, page);
      const shown = found.slice(0, limit);
      return { tasks: shown.map(taskView), next: found.length > limit ? shown.at(-1)!.id : null };
    },
  );
}

function stateRoute(app: App, tasks: Tasks): void {
  app.get(
    '/tasks/:task_id',
    {
      config: { polling: true, access: 'authenticated' },
      schema: {
        operationId: 'getTask',
        summary: 'The state of a task',
        description:
          '`Retry-After` says when to poll again while it is processing: 2 s at first, up to 30 s for long work. Not counted as a request of the rate limit.',
        tags: ['tasks'],
        params: Params,
        response: { 200: TaskSchema },
      },
    },
    async (request, reply) => {
      const task = await findTask(tasks, request, request.params.task_id);
      setRetryAfter(reply, task);
      return taskView(task);
    },
  );
}

function cancelRoute(app: App, tasks: Tasks): void {
  app.delete(
    '/tasks/:task_id',
    {
      config: { access: 'authenticated' },
      schema: {
        operationId: 'cancelTask',
        summary: 'Cancel a task',
        description: 'Stops the work wherever it runs. A finished task is left as it is.',
        tags: ['tasks'],
        params: Params,
        response: { 200: TaskSchema },
      },
    },
    async (request) => {
      const { id } = await findTask(tasks, request, request.params.task_id);
      return taskView((await tasks.cancel(principalOf(request).userId, id)) ?? unknownTask());
    },
  );
}

function resultsRoute(app: App, tasks: Tasks, reviews: Reviews, resultLinkMb: number): void {
  app.get(
    '/tasks/:task_id/results',
    {
      config: { polling: true, access: 'authenticated', produces: [], signable: 'results of a task' },
      schema: {
        operationId: 'getTaskResults',
        summary: 'The results of a completed task',
        description:
          'Streamed as they were written, in the media type `result_type` of the task. They never change, so `If-None-Match` spares a second transfer. With `reviews` they have what people decided of each row.',
        tags: ['tasks'],
        params: Params,
        querystring: ResultsQuery,
        response: {
          200: {
            description: 'The results.',
            content: { 'application/octet-stream': { schema: Type.Unsafe<unknown>({}) } },
          },
          303: Type.Null({
            description:
              'They are at the address in `Location`, which needs no token and works for 15 minutes: results of `result_link_mb` (see /limits) and more.',
          }),
          304: Type.Null({ description: 'You have them already.' }),
          ...problemResponses(['task_not_ready', 'task_failed', 'task_cancelled']),
        },
      },
    },
    async (request, reply) => {
      const task = await findTask(tasks, request, request.params.task_id);
      if (request.query.reviews === true) return sendReviewed(reply, task, tasks, reviews);
      // What is signed is sent by the service itself.
      const linkBytes = resultLinkMb === 0 || request.signature !== null ? Infinity : resultLinkMb * 1e6;
      return sendResults(request, reply, task, tasks, linkBytes);
    },
  );
}

/** With what people decided of each row: made now, and never the same bytes for good. */
async function sendReviewed(reply: AnyReply, task: Task, tasks: Tasks, reviews: Reviews): Promise<AnyReply> {
  refuseUnfinished(task);
  const byRow = await reviews.all(task.userId, task.id);
  const bytes = (await tasks.results(task.userId, task.id)) ?? unknownTask();
  const type = task.resultType ?? '';
  return reply.header('content-type', type).send(streamed(reply, reviewedResults(bytes, type, byRow)));
}

function refuseUnfinished(task: Task): void {
  if (task.status === 'processing') throw notReady(task);
  if (task.status === 'cancelled') throw new Problem('task_cancelled', 'The task was cancelled, so it has no results.');
  if (task.status === 'failed') throw new Problem('task_failed', task.error?.detail ?? 'The task failed.');
}

async function sendResults(
  request: AnyRequest,
  reply: AnyReply,
  task: Task,
  tasks: Tasks,
  linkBytes: number,
): Promise<AnyReply> {
  refuseUnfinished(task);
  const etag = etagOf(`${task.id} ${task.attempt} ${task.finishedAt?.getTime()}`);
  reply.header('etag', etag);
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', task.resultType ?? 'application/octet-stream');
  if (request.method === 'HEAD') return reply.send();
  const link = linkBytes === Infinity ? null : await tasks.resultLink(task.userId, task.id, linkBytes);
  if (link !== null)
    return reply.removeHeader('content-type').removeHeader('etag').code(303).header('location', link).send();
  const bytes = await tasks.results(task.userId, task.id);
  return reply.send(streamed(reply, bytes ?? unknownTask()));
}

function eventRoute(app: App, tasks: Tasks, options: TaskEventOptions): void {
  app.get(
    '/tasks/:task_id/events',
    {
      exposeHeadRoute: false,
      config: { polling: true, access: 'authenticated', produces: ['text/event-stream'] },
      schema: {
        operationId: 'followTask',
        summary: 'Follow a task',
        description:
          'Server-Sent Events: `progress` whenever something changed, then `completed`, `failed`, `cancelled` or `gone`. `data` is the task as JSON.',
        tags: ['tasks'],
        headers: EventHeaders,
        params: Params,
        response: {
          200: {
            description: 'The events.',
            content: { 'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const task = await findTask(tasks, request, request.params.task_id);
      return sendTaskEvents(app, request, reply, tasks, task.id, options);
    },
  );
}

/** A task of the caller; throws `Problem` where there is none, or its scope is missing. */
async function findTask(tasks: Tasks, request: Pick<AnyRequest, 'principal'>, id: string): Promise<Task> {
  const principal = principalOf(request);
  const task = (TASK_ID.test(id) ? await tasks.get(principal.userId, id) : null) ?? unknownTask();
  const scope = TASK_SCOPES[task.kind];
  if (scope !== undefined) requireScope(principal, scope);
  return task;
}

/** Kinds of tasks that the principal's scopes do not cover. */
function kindsBeyond({ scopes }: Principal): readonly string[] {
  return Object.entries(TASK_SCOPES).flatMap(([kind, scope]) => (scopes.includes(scope) ? [] : [kind]));
}

function unknownTask(): never {
  throw new Problem('task_not_found', 'You have no task with this id; it may have passed its retention.');
}
