import { sql, type Kysely } from 'kysely';
import type { TaskQueue } from '../../jobs/task-queue.ts';
import type { TaskRun } from '../../jobs/checkpoints.ts';
import type { Database } from '../database.ts';
import { claimTask } from './claim-task.ts';
import { giveBack, postpone, reapExpired, reportCrash, type LeaseParts } from './end-leases.ts';
import { wantObjects, type ObjectStore } from '../object-store/object-store.ts';
import { finishTask, type Outcome } from './finish-task.ts';
import { createPartStore, sharedInput } from './parts.ts';
import { LEASE_END } from './task-row.ts';

/** The database's side of running tasks. */
export function createTaskQueue(parts: LeaseParts, onSignal: TaskQueue['onSignal'], onWaiting: () => void): TaskQueue {
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
    kept: createPartStore({ db, owner, onWaiting }),
    fail: (run, error) => finish(run, { status: 'failed', error }),
    giveBack: (run) => giveBack(parts, run),
    postpone: (run) => postpone(parts, run),
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
    with renewed as (
    update tasks set lease_until = ${LEASE_END},
      progress_done = coalesce(run.done, progress_done),
      progress_total = case when run.done is null then progress_total else run.total end,
      progress_phase = case when run.done is null then progress_phase else run.phase end
    from json_to_recordset(${JSON.stringify(values)}::json)
      as run(id uuid, attempt int, done double precision, total double precision, phase text)
    where tasks.id = run.id and tasks.attempt = run.attempt
      and tasks.lease_owner = ${owner} and tasks.status = 'processing'
    returning tasks.id, tasks.parent, run.phase),
    said as (
      update tasks set progress_phase = part.phase
      from (select parent, max(phase) as phase from renewed where phase is not null group by parent) as part
      where tasks.id = part.parent and tasks.status = 'processing' and tasks.progress_phase is distinct from part.phase)
    select id from renewed`.execute(db);
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
    where tasks.id = ${run.id} and (object_key is not null or blob_chunks.seq is not null)
    union all
    ${sharedInput(run.id, seq)}`.execute(db);
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
  // The lock keeps whoever ends the run at this moment from overlooking the chunk.
  const { rows } = await sql`
    insert into task_chunks (task_id, direction, attempt, seq, bytes)
    select id, 'output', attempt, ${seq}::int, ${bytes}::bytea from tasks
    where id = ${run.id} and attempt = ${run.attempt} and lease_owner = ${owner} and status = 'processing'
    for share
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
        select id from tasks where status = 'receiving' and parent is null and created_at < now() - interval '1 day'
        limit 10)
      returning id`.execute(db);
    if (rows.length === 0) return deleted;
    deleted += rows.length;
  }
}
