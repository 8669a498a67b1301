import { Type } from 'typebox';
import { Problem } from '../../../errors.ts';
import { FOREST_TASK } from '../../../service/forest/task.ts';
import type { Task, Tasks } from '../../../jobs/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { etagMatches, etagOf } from '../../guards/etag.ts';
import { collectionResponse, FOREST_MEDIA_TYPES } from './geojson-body.ts';
import { CANCELLED, ForestTaskParams, ForestTaskSchema, forestTaskView } from './schemas.ts';
import { TASK_ID, setRetryAfter, notReady } from '../tasks/task-view.ts';
import { streamed } from '../../server/send-features.ts';

/** State, results and cancellation of the caller's forest tasks. Those of others, and other tasks, do not exist here. */
export function addForestTasks(app: App, tasks: Tasks): void {
  const find = async (request: AnyRequest, id: string): Promise<Task> => {
    const task = TASK_ID.test(id) ? await tasks.get(principalOf(request).userId, id) : null;
    return task?.kind === FOREST_TASK ? task : unknownTask();
  };

  app.get(
    '/forest_polygon/:task_id/status',
    {
      config: { polling: true, access: 'forest' },
      schema: {
        operationId: 'getForestTask',
        summary: 'The state of a forest lookup',
        description:
          '`Retry-After` says when to poll again while it is processing: 2 s at first, up to 30 s for long work. Not counted as a request of the rate limit.',
        tags: ['forest'],
        params: ForestTaskParams,
        response: { 200: ForestTaskSchema },
      },
    },
    async (request, reply) => {
      const task = await find(request, request.params.task_id);
      setRetryAfter(reply, task);
      return forestTaskView(task);
    },
  );

  app.get(
    '/forest_polygon/:task_id/results',
    {
      config: { polling: true, access: 'forest', produces: FOREST_MEDIA_TYPES },
      schema: {
        operationId: 'getForestResults',
        summary: 'The patches of a completed forest lookup',
        description:
          'What the synchronous answer would have been. It never changes, so `If-None-Match` spares a second transfer.',
        tags: ['forest'],
        params: ForestTaskParams,
        response: {
          200: collectionResponse('The patches.'),
          304: Type.Null({ description: 'You have them already.' }),
          ...problemResponses(['task_not_ready', 'task_failed', 'task_cancelled']),
        },
      },
    },
    async (request, reply) => sendResults(request, reply, await find(request, request.params.task_id), tasks),
  );

  app.delete(
    '/forest_polygon/:task_id',
    {
      config: { access: 'forest' },
      schema: {
        operationId: 'cancelForestTask',
        summary: 'Cancel a forest lookup',
        description:
          'Stops the work wherever it runs; the task is `failed` with the error code `task_cancelled` then. A finished task is left as it is.',
        tags: ['forest'],
        params: ForestTaskParams,
        response: { 200: ForestTaskSchema },
      },
    },
    async (request) => {
      const { id, userId } = await find(request, request.params.task_id);
      return forestTaskView((await tasks.cancel(userId, id)) ?? unknownTask());
    },
  );
}

async function sendResults(request: AnyRequest, reply: AnyReply, task: Task, tasks: Tasks): Promise<AnyReply> {
  if (task.status === 'processing') throw notReady(task);
  if (task.status === 'cancelled') throw new Problem('task_cancelled', CANCELLED);
  if (task.status === 'failed') throw new Problem('task_failed', task.error?.detail ?? 'The task failed.');
  const etag = etagOf(`${task.id} ${task.attempt} ${task.finishedAt?.getTime()}`);
  reply.header('etag', etag);
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type(request.accepted);
  if (request.method === 'HEAD') return reply.send();
  const bytes = await tasks.results(task.userId, task.id);
  return reply.send(streamed(reply, bytes ?? unknownTask()));
}

function unknownTask(): never {
  throw new Problem('task_not_found', 'You have no forest task with this id; it may have passed its retention.');
}
