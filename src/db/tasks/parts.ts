import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Checkpoint, CheckpointStore, TaskPart } from '../../jobs/checkpoints.ts';
import type { Database } from '../database.ts';

/** Chunks of a part's input: what it was staged with, what all parts share, and what was added to it, if anything. */
const CHUNK = { staged: 0, shared: 1, added: 2 } as const;
/** The input that parts share lies with the task that is cut, apart from that one's own, which is attempt 0. */
const SHARED_ATTEMPT = 1;
/** What a part was prepared with lies apart from its input. */
const PREPARED_ATTEMPT = 2;

/**
 * Selected or returned by a statement of a transaction about a part, once it is sure of it: its commit does not wait for the disk. A server that
 * crashes may forget the last half second of such transactions, each of them whole: the part waits again, and what came of it is
 * gone with that. Whatever is committed with waiting, as the end of the task is, is never kept without those before it.
 */
export const LATE_COMMIT: RawBuilder<unknown> = sql`set_config('synchronous_commit', 'off', true)`;

interface PartStoreOptions {
  readonly db: Kysely<Database>;
  /** Names this process in leases. */
  readonly owner: string;
  /** There is work that waits. */
  readonly onWaiting: () => void;
}

/**
 * Tasks in parts. A part is a task of its own under the one that is cut: prepared at most once while that one is being cut, waiting
 * once it is, gone when it is done; what came of it is a part of the collection. One that may be staged again is `receiving` until
 * then. Every statement that writes looks at the fencing token of the run and locks its task: a run that is cancelled or lost
 * meanwhile writes nothing. Whoever holds a part may wait for the task that is cut, and never the other way round.
 */
export function createPartStore({ db, owner, onWaiting }: PartStoreOptions): CheckpointStore {
  /** The run's task when it is still this process's. */
  const mine = ({ id, attempt }: { id: string; attempt: number }): RawBuilder<unknown> => sql`
    id = ${id} and attempt = ${attempt} and lease_owner = ${owner} and status = 'processing'`;

  return {
    async list({ id }) {
      const rows = await db
        .selectFrom('collection_parts')
        .select(['seq', 'first_number as first', 'count', 'summary'])
        .where('run', '=', id)
        .orderBy('seq')
        .execute();
      return withoutGaps<Checkpoint>(rows);
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

    async staged({ id }) {
      const { rows } = await sql<{ params: TaskPart }>`
        select params from tasks where parent = ${id} and status in ('receiving', 'processing') order by part`.execute(
        db,
      );
      return withoutGaps(rows.map(({ params }) => params));
    },

    async stage(run, { seq, first, count }, input, isFinal) {
      const params = JSON.stringify({ seq, first, count } satisfies TaskPart);
      const { rows } = await sql`
        with run as (
          update tasks set deaths = 0, process_crashes = 0, away_since = null where ${mine(run)} returning id, kind, user_id, retention_s),
        part as (
          insert into tasks (id, kind, user_id, status, params, retention_s, parent, part)
          select gen_random_uuid(), kind, user_id, ${isFinal ? 'processing' : 'receiving'}, ${params}::json, retention_s, id, ${seq}::int from run
          on conflict (parent, part) where parent is not null do update set params = excluded.params
          returning id)
        insert into task_chunks (task_id, direction, attempt, seq, bytes)
        select id, 'input', 0, ${CHUNK.staged}::int, ${input}::bytea from part
        on conflict (task_id, direction, attempt, seq) do update set bytes = excluded.bytes
        returning seq`.execute(db);
      return rows.length > 0;
    },

    async readStaged({ id }, seq) {
      const { rows } = await sql<{ bytes: Uint8Array }>`
        select bytes from task_chunks join tasks on tasks.id = task_id
        where parent = ${id} and part = ${seq}::int and direction = 'input' and task_chunks.attempt = 0
          and task_chunks.seq = ${CHUNK.staged}::int`.execute(db);
      return rows[0]?.bytes ?? null;
    },

    async complement(run, seq, input) {
      const { rows } = await sql`
        with run as (select id from tasks where ${mine(run)} for update)
        insert into task_chunks (task_id, direction, attempt, seq, bytes)
        select tasks.id, 'input', 0, ${CHUNK.added}::int, ${input}::bytea from run join tasks on tasks.parent = run.id
        where tasks.part = ${seq}::int
        on conflict (task_id, direction, attempt, seq) do update set bytes = excluded.bytes
        returning seq`.execute(db);
      return rows.length > 0;
    },

    async share(run, input) {
      const { rows } = await sql`
        with run as (select id from tasks where ${mine(run)} for update)
        insert into task_chunks (task_id, direction, attempt, seq, bytes)
        select id, 'input', ${SHARED_ATTEMPT}::int, ${CHUNK.shared}::int, ${input}::bytea from run
        on conflict (task_id, direction, attempt, seq) do update set bytes = excluded.bytes
        returning seq`.execute(db);
      return rows.length > 0;
    },

    async cut(run, { parts, total, phase, cut }) {
      const isCut = await db.transaction().execute(async (trx) => {
        const { rows } = await sql`
          update tasks set lease_owner = null, lease_until = null, parts_left = ${parts}::int,
            cut = ${JSON.stringify(cut ?? null)}::json, progress_done = 0, progress_total = ${total}::float8,
            progress_phase = ${phase}, deaths = 0, process_crashes = 0, crashes_of = '{}',
            away_since = null
          where ${mine(run)} and parts_left is null returning id`.execute(trx);
        if (rows.length === 0) return false;
        // Of a run whose rows are not those of this one, and of versions that kept results here before a task was cut.
        await sql`delete from tasks where parent = ${run.id} and part >= ${parts}::int`.execute(trx);
        await sql`delete from collection_parts where run = ${run.id}`.execute(trx);
        await sql`update tasks set status = 'processing', created_at = clock_timestamp()
          where parent = ${run.id} and status = 'receiving'`.execute(trx);
        return true;
      });
      if (isCut) onWaiting();
      return isCut;
    },

    async completePrepared(run, { prepared }) {
      return db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ id: string; parent: string }>`
          with part as (
            update tasks set lease_owner = null, lease_until = null where ${mine(run)} returning id, parent, ${LATE_COMMIT}),
          stored as (
            insert into task_chunks (task_id, direction, attempt, seq, bytes)
            select id, 'input', ${PREPARED_ATTEMPT}::int, 0, ${prepared}::bytea from part
            on conflict (task_id, direction, attempt, seq) do update set bytes = excluded.bytes)
          select id, parent from part`.execute(trx);
        const [part] = rows;
        if (part === undefined) return false;
        const whole = await sql`
          select 1 from tasks where id = ${part.parent} and status = 'processing' for share`.execute(trx);
        if (whole.rows.length > 0) return true;
        // Whoever ended the task passed over the part, because it was locked.
        await sql`delete from tasks where id = ${part.id}`.execute(trx);
        return false;
      });
    },

    async prepared({ id }) {
      const { rows } = await sql<{ bytes: Uint8Array }>`
        select bytes from task_chunks
        where task_id = ${id} and direction = 'input' and attempt = ${PREPARED_ATTEMPT}::int and seq = 0`.execute(db);
      return rows[0]?.bytes ?? null;
    },

    async completePart(run, { seq, first, count }, { summary, bytes }) {
      const left = await db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ parent: string }>`
          delete from tasks where ${mine(run)} returning parent, ${LATE_COMMIT}`.execute(trx);
        const parent = rows[0]?.parent;
        if (parent === undefined) return null;
        const counted = await sql<{ left: number }>`
          update tasks set parts_left = parts_left - 1, progress_done = progress_done + ${count}::float8
          where id = ${parent} and status = 'processing' returning parts_left as left`.execute(trx);
        // The task was cancelled or has failed: nobody wants the part any more.
        if (counted.rows.length === 0) return null;
        await sql`
          insert into collection_parts (collection_id, run, seq, first_number, count, summary, bytes)
          select id, ${parent}::uuid, ${seq}::int, ${first}::int, ${count}::int, ${JSON.stringify(summary)}::json,
            ${bytes}::bytea
          from collections where task_id = ${parent}`.execute(trx);
        return counted.rows[0]!.left;
      });
      if (left === 0) onWaiting();
      return left !== null;
    },

    async crashes({ id }) {
      const row = await db
        .selectFrom('tasks')
        .select(['deaths as count', 'crashes_of as bySteps'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row;
    },
  };
}

/** Whether what a part, `id`, was prepared with is there. */
export function isPrepared(id: string): RawBuilder<boolean> {
  return sql`exists (select from task_chunks
    where task_id = ${id} and direction = 'input' and attempt = ${PREPARED_ATTEMPT}::int)`;
}

/** Chunk `seq` of what the parts of a task share, where the task is a part and this its place; as `bytes, key, size`. */
export function sharedInput(id: string, seq: number): RawBuilder<unknown> {
  return sql`
    select shared.bytes, null, null from tasks join task_chunks as shared on shared.task_id = tasks.parent
    where tasks.id = ${id} and shared.direction = 'input' and shared.attempt = ${SHARED_ATTEMPT}::int
      and shared.seq = ${seq}::int`;
}

/** A gap cannot come to be while parts are staged one after the other; what followed one would not be continued. */
function withoutGaps<P extends TaskPart>(parts: readonly P[]): readonly P[] {
  const gap = parts.findIndex(({ seq }, i) => seq !== i);
  return gap === -1 ? parts : parts.slice(0, gap);
}
