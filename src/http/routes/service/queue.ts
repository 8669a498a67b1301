import { type Static, Type } from 'typebox';
import type { App } from '../../server/app.ts';

const Time = Type.String({ format: 'date-time' });
const Id = Type.String({ format: 'uuid', description: 'The task.' });
const Kind = Type.String({ description: 'What the task does, such as `collection_batch`.' });
const UserId = Type.String({ description: 'Whose task it is.' });
const Count = Type.Integer({ minimum: 0 });

const KindCounts = Type.Object({
  kind: Kind,
  waiting: Count,
  running: Count,
  parts_waiting: Count,
  parts_running: Count,
  failed: Type.Integer({ minimum: 0, description: 'Those whose record is kept still.' }),
  oldest_waiting_s: Type.Union([Type.Number(), Type.Null()], {
    description: 'Seconds since the oldest task or part that waits was submitted or cut off; null where none waits.',
  }),
});

const Run = Type.Object({
  id: Id,
  kind: Kind,
  user_id: UserId,
  part: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Number of the part, from 0; null: all of the task.',
  }),
  worker: Type.Union([Type.String(), Type.Null()], { description: 'Host and process that works on it.' }),
  since: Type.Union([Time, Type.Null()]),
  attempt: Type.Integer(),
  is_lost: Type.Boolean({
    description: 'Nothing was heard of its worker for longer than its lease: it begins again in a moment.',
  }),
});

const Waiting = Type.Object({
  id: Id,
  kind: Kind,
  user_id: UserId,
  parts: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Parts that nobody works on; null: the task is not in parts.',
  }),
  since: Time,
});

const Failed = Type.Object({
  id: Id,
  kind: Kind,
  user_id: UserId,
  at: Time,
  code: Type.String(),
  detail: Type.String(),
});

export const Queue = Type.Object(
  {
    kinds: Type.Array(KindCounts, {
      description: 'By kind of task. One that was cut into parts counts as neither while its parts are worked on.',
    }),
    running: Type.Array(Run, { description: 'What is at work in any process, the longest first.' }),
    waiting: Type.Array(Waiting, { description: 'Tasks that wait or whose parts do, the oldest first; at most 50.' }),
    failed: Type.Array(Failed, { description: 'Tasks that failed, the newest first; at most 20.' }),
  },
  { description: 'The queue of all processes on the database.' },
);

/** Who looks at the queue. */
interface QueueViewer {
  showQueue(): Promise<{
    readonly [List in keyof Static<typeof Queue>]: readonly Static<typeof Queue>[List][number][];
  }>;
}

/** `GET /queue`: what waits, runs and failed, of every user, for administrators. */
export function queueRoutes({ showQueue }: QueueViewer) {
  return (app: App): void => {
    app.get(
      '/queue',
      {
        config: { access: 'admin' },
        schema: {
          operationId: 'showQueue',
          summary: 'What waits, runs and failed',
          description:
            'Tasks of all users and their parts: what waits and since when, what runs on which host and process, and what failed. `firstmile queue` shows the same.',
          tags: ['service'],
          response: { 200: Queue },
        },
      },
      async (_request, reply) => {
        const { kinds, running, waiting, failed } = await showQueue();
        reply.header('cache-control', 'no-store');
        return { kinds: [...kinds], running: [...running], waiting: [...waiting], failed: [...failed] };
      },
    );
  };
}
