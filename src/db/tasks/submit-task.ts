import { randomUUID, timingSafeEqual } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { Problem } from '../../errors.ts';
import type { NewTask, Task } from '../../jobs/task.ts';
import type { Database } from '../database.ts';
import { inChunks } from '../in-chunks.ts';
import type { Store } from '../open-store.ts';
import { bounded, roomFor } from '../stored-bytes.ts';
import { taskFromRow, type TaskRow } from './task-row.ts';

export interface SubmitLimits {
  /** Unfinished tasks the service accepts before it throws `Problem('queue_full')`. */
  readonly maxQueued: number;
  /** The same for one user, who gets `Problem('quota_exceeded')`. */
  readonly maxPerUser: number;
  /** Bytes one user may store before `Problem('storage_full')`. */
  readonly maxStoredBytes: number;
  /** Seconds a finished task is kept. */
  readonly retentionS: number;
  readonly onSubmitted: OnSubmitted;
}

/**
 * Called inside the transaction that makes a task visible: whatever it writes through `trx` is kept exactly when the task
 * is, and when it throws there is no task. Not called for a request that returns an earlier task.
 */
export type OnSubmitted = (trx: Transaction<Database>, task: Task, params: unknown) => Promise<void>;

/** Any fixed number: submissions take turns, so that the limit and the idempotency keys hold across processes. */
const SUBMIT_LOCK = 7_239_411_803;
const RETRY_AFTER_S = 30;

/**
 * Records the task and queues it. Input is stored chunk by chunk before the transaction that makes the task visible, so
 * that a slow sender holds no transaction open; until then the row is `receiving`, which nobody sees.
 */
export async function submitTask(
  store: Store,
  task: NewTask,
  limits: SubmitLimits,
): Promise<{ readonly row: TaskRow; readonly isNew: boolean }> {
  const earlier = await findEarlier(store.db, task);
  if (earlier !== null) return { row: earlier, isNew: false };
  await refuseWhenFull(store.db, task.userId, limits);
  const id = randomUUID();
  const { input } = task;
  if (input === null || 'blobId' in input) {
    return store.db.transaction().execute(async (trx) => {
      await receive(trx, id, task, limits, input?.blobId ?? null);
      return queue(trx, id, task, limits);
    });
  }
  try {
    await receive(store.db, id, task, limits);
    const room = await roomFor(store.db, task.userId, limits.maxStoredBytes);
    await storeInput(store.db, id, bounded(input, room, limits.maxStoredBytes));
    return await store.db.transaction().execute((trx) => queue(trx, id, task, limits));
  } catch (error) {
    await forget(store.db, id).catch(() => {});
    throw error;
  }
}

async function receive(
  db: Kysely<Database>,
  id: string,
  task: NewTask,
  limits: SubmitLimits,
  blobId: string | null = null,
): Promise<void> {
  await db
    .insertInto('tasks')
    .values({
      id,
      kind: task.kind,
      user_id: task.userId,
      status: 'receiving',
      params: JSON.stringify(task.params ?? null),
      input_blob: blobId,
      retention_s: limits.retentionS,
    })
    .execute();
}

async function storeInput(db: Kysely<Database>, id: string, input: AsyncIterable<Uint8Array>): Promise<void> {
  let seq = 0;
  for await (const bytes of inChunks(input)) {
    await db
      .insertInto('task_chunks')
      .values({ task_id: id, direction: 'input', attempt: 0, seq: seq++, bytes })
      .execute();
  }
}

async function queue(
  trx: Transaction<Database>,
  id: string,
  task: NewTask,
  limits: SubmitLimits,
): Promise<{ row: TaskRow; isNew: boolean }> {
  await sql`select pg_advisory_xact_lock(${sql.lit(SUBMIT_LOCK)})`.execute(trx);
  const earlier = await findEarlier(trx, task);
  if (earlier !== null) {
    await forget(trx, id);
    return { row: earlier, isNew: false };
  }
  await refuseWhenFull(trx, task.userId, limits);
  const row = await trx
    .updateTable('tasks')
    .set({
      status: 'processing',
      idempotency_key: task.idempotency?.key ?? null,
      fingerprint: task.idempotency?.fingerprint ?? null,
      created_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await limits.onSubmitted(trx, taskFromRow(row), row.params);
  return { row, isNew: true };
}

/** The task an earlier request with the same key made, or null. A task whose time is over gives its key back. */
export async function findEarlier(
  db: Kysely<Database>,
  task: Pick<NewTask, 'userId' | 'idempotency'>,
): Promise<TaskRow | null> {
  if (task.idempotency === null) return null;
  const { key, fingerprint } = task.idempotency;
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .select(sql<boolean>`coalesce(expires_at <= now(), false)`.as('expired'))
    .where('user_id', '=', task.userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.expired) {
    await forget(db, row.id);
    return null;
  }
  if (row.fingerprint === null || !isSame(row.fingerprint, fingerprint)) {
    throw new Problem(
      'idempotency_mismatch',
      'This Idempotency-Key was used before with another request; wanted the same request again or a new key.',
    );
  }
  return row;
}

async function refuseWhenFull(
  db: Kysely<Database>,
  userId: string,
  { maxQueued, maxPerUser }: Pick<SubmitLimits, 'maxQueued' | 'maxPerUser'>,
): Promise<void> {
  const own = maxPerUser === Infinity ? 0 : await countUnfinished(db, maxPerUser, userId);
  if (own >= maxPerUser)
    throw new Problem(
      'quota_exceeded',
      `${own} tasks of yours wait or run; wanted at most ${maxPerUser} at the same time (tasks_per_user in /limits).`,
      { retryAfterS: RETRY_AFTER_S },
    );
  const count = await countUnfinished(db, maxQueued);
  if (count < maxQueued) return;
  throw new Problem(
    'queue_full',
    `The queue is full: ${count} tasks wait or run already and the service accepts ${maxQueued}; try again later.`,
    { retryAfterS: RETRY_AFTER_S },
  );
}

async function forget(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('tasks').where('id', '=', id).execute();
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Tasks that wait or run, of one user or of all, counted no further than `limit`. */
export async function countUnfinished(db: Kysely<Database>, limit: number, userId?: string): Promise<number> {
  const all = db
    .selectFrom('tasks')
    .select('id')
    .where('status', '=', 'processing')
    .where('parent', 'is', null)
    .limit(limit);
  const unfinished = userId === undefined ? all : all.where('user_id', '=', userId);
  const { count } = await db
    .selectFrom(unfinished.as('unfinished'))
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
