import { sql, type Kysely } from 'kysely';
import type { Tasks } from '../../jobs/task.ts';
import type { TaskSignal } from '../../jobs/task-queue.ts';
import { readObject } from '../blobs.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';
import { wantObjects } from '../object-store/object-store.ts';
import { pageIsGone } from '../page-is-gone.ts';
import { isUuid } from '../sql-values.ts';
import { finishTask, type OnFinished } from './finish-task.ts';
import { findEarlier, type SubmitLimits, submitTask } from './submit-task.ts';
import { taskFromRow, type TaskRow } from './task-row.ts';

interface TasksOptions extends SubmitLimits {
  readonly onFinished: OnFinished;
  readonly onSignal: (signal: TaskSignal) => void;
}

/** Seconds that a link to results works: long enough for a client that waits for its turn before it follows it. */
const RESULT_LINK_S = 900;

/** The tasks of users, in the database. */
export function createTasks(store: Store, options: TasksOptions): Tasks {
  const { db } = store;
  const reader = readTasks(store);
  return {
    ...reader,

    async submit(task) {
      const { row, isNew } = await submitTask(store, task, options);
      if (isNew) options.onSignal({ type: 'waiting' });
      return taskFromRow(row);
    },

    async earlier(userId, idempotency) {
      const row = await findEarlier(db, { userId, idempotency });
      return row === null ? null : taskFromRow(row);
    },

    async cancel(userId, id) {
      if (!isUuid(id)) return null;
      const row = await db
        .transaction()
        .execute((trx) => finishTask(trx, id, { userId }, { status: 'cancelled' }, options.onFinished));
      if (row === null) return reader.get(userId, id);
      options.onSignal({ type: 'cancelled', id });
      return taskFromRow(row);
    },

    async resultLink(userId, id, leastBytes) {
      const row = store.objects === null ? null : await find(db, userId, id);
      if (row?.status !== 'completed' || row.result_key === null || (row.result_size ?? 0) < leastBytes) return null;
      const mediaType = row.result_type ?? 'application/octet-stream';
      return wantObjects(store.objects).link(row.result_key, { seconds: RESULT_LINK_S, fileName: id, mediaType });
    },
  };
}

/** Tasks for who reads them alone. */
export function readTasks(store: Store): Pick<Tasks, 'get' | 'list' | 'results'> {
  const { db } = store;
  return {
    async get(userId, id) {
      const row = await find(db, userId, id);
      return row === null ? null : taskFromRow(row);
    },

    async list(userId, { limit, before, status, withoutKinds = [] }) {
      const last = before === undefined ? null : await find(db, userId, before);
      if (before !== undefined && last === null) throw pageIsGone('task', before);
      const rows = await visible(db, userId)
        .$if(status !== undefined, (query) => query.where('status', '=', status as TaskRow['status']))
        .$if(withoutKinds.length > 0, (query) => query.where('kind', 'not in', withoutKinds))
        // Compared in the database: a Date of JavaScript has lost the microseconds that order two tasks.
        .$if(last !== null, (query) =>
          query.where(
            sql<boolean>`(created_at, id) < (select created_at, id from tasks where id = ${(last as TaskRow).id})`,
          ),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(taskFromRow);
    },

    async results(userId, id) {
      const row = await find(db, userId, id);
      return row === null || row.status !== 'completed' ? null : readResults(store, row);
    },
  };
}

function visible(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', '<>', 'receiving')
    .where('parent', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`);
}

async function find(db: Kysely<Database>, userId: string, id: string): Promise<TaskRow | null> {
  if (!isUuid(id)) return null;
  const row = await visible(db, userId).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

async function* readResults({ db, objects }: Store, row: TaskRow): AsyncGenerator<Uint8Array, void> {
  let sent = 0;
  for (let seq = 0; row.result_key === null && seq < (row.result_chunks ?? 0); seq++) {
    const chunk = await db
      .selectFrom('task_chunks')
      .select('bytes')
      .where('task_id', '=', row.id)
      .where('direction', '=', 'output')
      .where('attempt', '=', row.attempt)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (chunk === undefined) {
      // They may have been moved into the bucket meanwhile.
      const moved = await db.selectFrom('tasks').selectAll().where('id', '=', row.id).executeTakeFirst();
      if (moved?.result_key == null) throw new Error(`the results of task ${row.id} were deleted while they were read`);
      row = moved;
      break;
    }
    sent += chunk.bytes.length;
    yield chunk.bytes;
  }
  if (row.result_key !== null)
    yield* readObject(objects, { object_key: row.result_key, size: row.result_size, sha256: null }, sent);
}
