import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { Database } from '../database.ts';
import { inChunks } from '../in-chunks.ts';
import { HOLD_PREFIX } from './hold-sweep.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * Archives are moved out of the database whatever their size: exports, reports and what they lie in. Other results are from so many
 * full chunks on: docs/decisions/2026-11-23-object-store.md.
 */
const ARCHIVE = 'application/zip';
const MOVED_CHUNKS = 4;
/** While one process moves bytes, no other begins. */
const MOVING_FOR = sql`interval '1 hour'`;
const UPLOADS_OLDER_MS = 86_400_000;
const SWEPT_AT_ONCE = 100;

/** Chunks in the database that belong to one row, and how the row is changed once they lie in the bucket. */
interface Movable {
  readonly key: string;
  chunk(seq: number): RawBuilder<{ bytes: Uint8Array }>;
  /** Names the object in the row and drops the chunks; no row: it was deleted meanwhile. */
  settle(key: string, size: number, sha256: string): readonly RawBuilder<{ id: string }>[];
}

/**
 * Moves one archive or large result from the database into the bucket; false when there is none. The row names its object in the transaction
 * that drops the chunks, so that at every time the bytes are in one of the two, whatever ends this process.
 */
export async function moveResult(db: Kysely<Database>, objects: ObjectStore, signal?: AbortSignal): Promise<boolean> {
  signal?.throwIfAborted();
  const movable = (await claimTask(db)) ?? (await claimReport(db));
  if (movable === null) return false;
  // Due tomorrow: what nobody owns by then was left by a process that ended.
  await sql`insert into object_sweep (key, due_at) values (${movable.key}, now() + interval '1 day')`.execute(db);
  const { size, sha256 } = (await objects.put(movable.key, chunksOf(db, movable), { ...(signal && { signal }) }))!;
  await db.transaction().execute(async (trx) => {
    const [own, ...drop] = movable.settle(movable.key, size, sha256);
    const isOwned = (await own.execute(trx)).rows.length > 0;
    for (const statement of isOwned ? drop : []) await statement.execute(trx);
    if (isOwned) await sql`delete from object_sweep where key = ${movable.key}`.execute(trx);
    else await sql`update object_sweep set due_at = now() where key = ${movable.key}`.execute(trx);
  });
  return true;
}

async function* chunksOf(db: Kysely<Database>, { chunk }: Movable): AsyncGenerator<Uint8Array, void> {
  for (let seq = 0; ; seq++) {
    const { rows } = await chunk(seq).execute(db);
    if (rows.length === 0) return;
    yield rows[0].bytes;
  }
}

async function claimTask(db: Kysely<Database>): Promise<Movable | null> {
  const { rows } = await sql<{ id: string; attempt: number }>`
    update tasks set moving_until = now() + ${MOVING_FOR} where id = (
      select id from tasks
      where status = 'completed' and result_key is null
        and (result_chunks >= ${sql.lit(MOVED_CHUNKS)} or (result_type = ${ARCHIVE} and result_chunks > 0))
        and (moving_until is null or moving_until < now())
      order by finished_at limit 1 for update skip locked)
    returning id, attempt`.execute(db);
  if (rows.length === 0) return null;
  const [{ id, attempt }] = rows;
  const where = sql`task_id = ${id} and direction = 'output' and attempt = ${attempt}`;
  return {
    key: `results/${id}-${randomUUID()}`,
    chunk: (seq) => sql`select bytes from task_chunks where ${where} and seq = ${seq}::int`,
    settle: (key, size) => [
      sql`update tasks set result_key = ${key}, result_size = ${size}
        where id = ${id} and attempt = ${attempt} and status = 'completed' and result_key is null returning id`,
      sql`delete from task_chunks where ${where}`,
    ],
  };
}

/** Reports alone: the file of a collection may be read chunk by chunk by a task that runs. */
async function claimReport(db: Kysely<Database>): Promise<Movable | null> {
  const { rows } = await sql<{ id: string }>`
    update blobs set moving_until = now() + ${MOVING_FOR} where id = (
      select id from blobs
      where object_key is null and size > 0 and (moving_until is null or moving_until < now())
        and id in (select report_blob from collections)
      limit 1 for update skip locked)
    returning id`.execute(db);
  if (rows.length === 0) return null;
  const [{ id }] = rows;
  return {
    key: `blobs/${id}-${randomUUID()}`,
    chunk: (seq) => sql`select bytes from blob_chunks where blob_id = ${id} and seq = ${seq}::int`,
    settle: (key, size, sha256) => [
      sql`update blobs set object_key = ${key}, sha256 = ${sha256}
        where id = ${id} and size = ${size} and object_key is null returning id`,
      sql`delete from blob_chunks where blob_id = ${id}`,
    ],
  };
}

/** Stores an object's bytes in the database, in the rows that name it: the way back from `moveResult`. Inside a transaction. */
export async function putBackObject(
  trx: Transaction<Database>,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const task = await trx.selectFrom('tasks').select(['id', 'attempt']).where('result_key', '=', key).executeTakeFirst();
  const blob = await trx.selectFrom('blobs').select('id').where('object_key', '=', key).executeTakeFirst();
  let seq = 0;
  for await (const chunk of inChunks(bytes)) {
    if (task !== undefined)
      await trx
        .insertInto('task_chunks')
        .values({ task_id: task.id, direction: 'output', attempt: task.attempt, seq, bytes: chunk })
        .execute();
    if (blob !== undefined)
      await trx.insertInto('blob_chunks').values({ blob_id: blob.id, seq, bytes: chunk }).execute();
    seq++;
  }
  const inRows = { moving_until: null };
  if (task !== undefined)
    await trx
      .updateTable('tasks')
      .set({ ...inRows, result_key: null, result_size: null, result_chunks: seq })
      .where('id', '=', task.id)
      .execute();
  if (blob !== undefined)
    await trx
      .updateTable('blobs')
      .set({ ...inRows, object_key: null })
      .where('id', '=', blob.id)
      .execute();
}

/**
 * Removes the objects that nobody names any more; returns how many. One that cannot be removed now stays listed, and so do all
 * while `holdSweep` holds them.
 */
export async function sweepObjects(db: Kysely<Database>, objects: ObjectStore): Promise<number> {
  for (let swept = 0; ;) {
    const { rows } = await sql<{ key: string }>`
      update object_sweep set due_at = now() + interval '10 minutes' where key in (
        select key from object_sweep where due_at <= now()
          and not exists (select from object_sweep where key like ${`${HOLD_PREFIX}%`} and due_at > now())
        limit ${sql.lit(SWEPT_AT_ONCE)} for update skip locked)
      returning key`.execute(db);
    if (rows.length === 0) return swept;
    for (const { key } of rows) {
      await objects.delete(key);
      await sql`delete from object_sweep where key = ${key}`.execute(db);
    }
    swept += rows.length;
  }
}

/** Gives up uploads that were begun a day ago and never finished; `now` is milliseconds since 1970. */
export function sweepUploads(objects: ObjectStore, now: number): Promise<number> {
  return objects.abortUploads(new Date(now - UPLOADS_OLDER_MS));
}
