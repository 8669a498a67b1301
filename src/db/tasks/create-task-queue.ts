import { sql, type Kysely } from 'kysely';
import type { TaskQueue } from '../../jobs/task-queue.ts';
import type { CheckpointStore, TaskRun } from '../../jobs/checkpoints.ts';
import type { Database } from '../database.ts';
import { claimTask } from './claim-task.ts';
import { giveBack, reapExpired, reportCrash, type LeaseParts } from './end-leases.ts';
import { wantObjects, type ObjectStore } from '../object-store/object-store.ts';
import { finishTask, type Outcome } from './finish-task.ts';
import { LEASE_END } from './task-row.ts';

/** The database's side of running tasks. */
export function createTaskQueue(parts: LeaseParts, onSignal: TaskQueue['onSignal']): TaskQueue {
  const { db, objects, owner, onFinished } = parts;
  const finish = (run: TaskRun, outcome: Outcome): Promise<boolean> =>
    db.transaction().execute(async (trx) => {
      const by = { attempt: run.attempt, leaseOwner: owner };
      return (await finishTask(trx, run.id, by, outcome, onFinished)) !== null;
    });
  return {
    claim: (kinds, options) => claimTask(db, owner, kinds, options),
    renew: (runs) => renew(db, owner, runs),
    readInput: (run, seq) => readInput(db, objects, run, seq),
    writeOutput: (run, seq, bytes) => writeOutput(db, owner, run, seq, bytes),
    complete: (run, result) => finish(run, { status: 'completed', ...result }),
    kept: createCheckpointStore(db, owner),
    fail: (run, error) => finish(run, { status: 'failed', error }),
    giveBack: (run) => giveBack(parts, run),
    reportCrash: (run, step) => reportCrash(parts, run, step),
    reapExpired: () => reapExpired(parts),
    deleteExpired: () => deleteExpired(db),
    onSignal,
  };
}

async function renew(
  db: Kysely<Database>,
  owner: string,
  runs: Parameters<TaskQueue['renew']>[0],
): Promise<ReadonlySet<string>> {
  if (runs.length === 0) return new Set();
  const values = runs.map(({ id, attempt, progress }) => ({ id, attempt, ...progress }));
  const { rows } = await sql<{ id: string }>`
    update tasks set lease_until = ${LEASE_END},
      progress_done = coalesce(run.done, progress_done),
      progress_total = case when run.done is null then progress_total else run.total end,
      progress_phase = case when run.done is null then progress_phase else run.phase end
    from json_to_recordset(${JSON.stringify(values)}::json)
      as run(id uuid, attempt int, done double precision, total double precision, phase text)
    where tasks.id = run.id and tasks.attempt = run.attempt
      and tasks.lease_owner = ${owner} and tasks.status = 'processing'
    returning tasks.id`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** Bytes of a file in a bucket that are read at a time. */
const PIECE_BYTES = 2_000_000;

async function readInput(
  db: Kysely<Database>,
  objects: ObjectStore | null,
  run: TaskRun,
  seq: number,
): Promise<Uint8Array | null> {
  const { rows } = await sql<{ bytes: Uint8Array | null; key: string | null; size: number | null }>`
    select bytes, null as key, null::float8 as size from task_chunks
    where task_id = ${run.id} and direction = 'input' and attempt = 0 and seq = ${seq}::int
    union all
    select blob_chunks.bytes, object_key, blobs.size from tasks
    join blobs on blobs.id = input_blob
    left join blob_chunks on blob_id = blobs.id and blob_chunks.seq = ${seq}::int
    where tasks.id = ${run.id} and (object_key is not null or blob_chunks.seq is not null)`.execute(db);
  const [row] = rows;
  if (row?.key == null) return row?.bytes ?? null;
  const offset = seq * PIECE_BYTES;
  if (offset >= (row.size ?? 0)) return null;
  const found = await wantObjects(objects).get(row.key, { offset, length: PIECE_BYTES });
  if (found === null) throw new Error(`the file of task ${run.id} was deleted while it was read`);
  return Buffer.concat(await Array.fromAsync(found.bytes));
}

async function writeOutput(
  db: Kysely<Database>,
  owner: string,
  run: TaskRun,
  seq: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const { rows } = await sql`
    insert into task_chunks (task_id, direction, attempt, seq, bytes)
    select id, 'output', attempt, ${seq}::int, ${bytes}::bytea from tasks
    where id = ${run.id} and attempt = ${run.attempt} and lease_owner = ${owner} and status = 'processing'
    on conflict (task_id, direction, attempt, seq) do update set bytes = excluded.bytes
    returning seq`.execute(db);
  return rows.length > 0;
}

/** In small batches, because the embedded database does nothing else while it deletes the bytes of a task. */
async function deleteExpired(db: Kysely<Database>): Promise<number> {
  await sql`delete from task_turns where served_at < now() - interval '1 day'`.execute(db);
  for (let deleted = 0; ;) {
    const { rows } = await sql`
      delete from tasks where id in (
        select id from tasks where expires_at <= now()
        union all
        select id from tasks where status = 'receiving' and created_at < now() - interval '1 day'
        limit 10)
      returning id`.execute(db);
    if (rows.length === 0) return deleted;
    deleted += rows.length;
  }
}

/**
 * Checkpoints of the tasks that work on collections. A part is written in one statement with the look at the fencing token,
 * which locks the task: a run that is cancelled or lost meanwhile writes nothing, and nothing is written after it ended.
 */
function createCheckpointStore(db: Kysely<Database>, owner: string): CheckpointStore {
  return {
    async list({ id }) {
      const rows = await db
        .selectFrom('collection_parts')
        .select(['seq', 'first_number as first', 'count', 'summary'])
        .where('run', '=', id)
        .orderBy('seq')
        .execute();
      // A gap cannot come to be while parts are written one after the other; what followed one would not be continued.
      const gap = rows.findIndex(({ seq }, i) => seq !== i);
      return gap === -1 ? rows : rows.slice(0, gap);
    },

    async keep({ id, attempt }, { seq, first, count, summary }, bytes) {
      const { rows } = await sql`
        with run as (
          update tasks set deaths = 0, process_crashes = 0
          where id = ${id} and attempt = ${attempt} and lease_owner = ${owner} and status = 'processing'
          returning id)
        insert into collection_parts (collection_id, run, seq, first_number, count, summary, bytes)
        select collections.id, run.id, ${seq}::int, ${first}::int, ${count}::int, ${JSON.stringify(summary)}::json,
          ${bytes}::bytea
        from run join collections on collections.task_id = run.id
        on conflict (run, seq) do update set first_number = excluded.first_number, count = excluded.count,
          summary = excluded.summary, bytes = excluded.bytes
        returning seq`.execute(db);
      return rows.length > 0;
    },

    async crashes({ id }) {
      const row = await db
        .selectFrom('tasks')
        .select(['deaths as count', 'crashes_of as bySteps'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row;
    },

    async read({ id }, seq) {
      const row = await db
        .selectFrom('collection_parts')
        .select('bytes')
        .where('run', '=', id)
        .where('seq', '=', seq)
        .executeTakeFirst();
      return row?.bytes ?? null;
    },
  };
}
