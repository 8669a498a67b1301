import { Type } from 'typebox';
import { Problem } from '../../../errors.ts';
import { BATCH_TASK, CHECK_TASK } from '../../../service/collections/collection-task.ts';
import type { CollectionService } from '../../../service/collections/collections.ts';
import type { Task, Tasks } from '../../../jobs/task.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { WorkSchema } from './schemas.ts';
import { workView } from './view.ts';
import { EventHeaders, sendTaskEvents } from '../tasks/task-events.ts';
import { setRetryAfter } from '../tasks/task-view.ts';

const Query = Type.Object(
  {
    tracking_id: Type.String({
      maxLength: 100,
      description: '`task_id` of a batch, or `collection_id` for the last task of a collection.',
      examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
    }),
  },
  { additionalProperties: false },
);

/** `GET /batch_progress`. */
export function batchProgressRoutes(collections: CollectionService, tasks: Tasks) {
  return (app: App): void => {
    app.get(
      '/batch_progress',
      {
        exposeHeadRoute: false,
        config: { polling: true, access: 'collections', produces: ['application/json', 'text/event-stream'] },
        schema: {
          operationId: 'getBatchProgress',
          summary: 'How far a batch is',
          description:
            'Locations done and in all, and the phase: reading, validating, measuring, keeping, reporting, or waiting while the file cannot be read. With `Accept: text/event-stream` the events of the task, as `/tasks/{task_id}/events` sends them.',
          tags: ['collections'],
          headers: EventHeaders,
          querystring: Query,
          response: {
            200: {
              description: 'The collection and its task.',
              content: {
                'application/json': { schema: WorkSchema },
                'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) },
              },
            },
            ...problemResponses(['collection_not_found']),
          },
        },
      },
      async (request, reply) => {
        const { userId } = principalOf(request);
        const { tracking_id: id } = request.query;
        const found = await find(userId, id);
        if (request.accepted === 'text/event-stream') {
          if (found.task === null)
            throw new Problem('task_not_found', 'No task works on the collection; there is nothing to follow.');
          return sendTaskEvents(app, request, reply, tasks, found.task.id);
        }
        setRetryAfter(reply, found.task);
        return reply.send(workView(found.collection, found.task));
      },
    );
  };

  /** The collection is read before its task, and again when the task has ended in between: both show the same moment. */
  async function find(userId: string, id: string) {
    const named = await tasks.get(userId, id);
    const isTask = named !== null && isOfCollection(named);
    const read = () => (isTask ? collections.findByTask(userId, id) : collections.find(userId, id));
    const collection = await read();
    const task = isTask ? await tasks.get(userId, id) : await collections.lastTask(collection);
    const hasEnded = collection.status === 'processing' && task !== null && task.status !== 'processing';
    return { collection: hasEnded ? await read() : collection, task };
  }
}

function isOfCollection({ kind }: Task): boolean {
  return kind === BATCH_TASK || kind === CHECK_TASK;
}
