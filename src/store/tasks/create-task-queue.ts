import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import { MAX_DEATHS, type ClaimedTask, type TaskQueue, type TaskRun } from '../../tasks/task-queue.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';
import { finishTask, type OnFinished, type Outcome } from './finish-task.ts';
import type { TaskRow } from './task-row.ts';
import type { Tickets } from './tickets.ts';

export interface TaskQueueOptions {
  readonly onFinished: OnFinished;
  readonly onSignal: TaskQueue['onSignal'];
  /** Names this process in leases. */
  readonly owner: string;
}

/** Seconds without renewal after which a run counts as dead. With the looks of the runners, a dead run begins again within 12 s. */
const LEASE_S = 8;
const BATCH = 100;
const LEASE_END = sql<Date>`now() + ${sql.lit(LEASE_S)} * interval '1 second'`;

/** The database's side of running tasks. */
export function createTaskQueue(store: Store, tickets: Tickets, options: TaskQueueOptions): TaskQueue {
  const { db } = store;
  const { owner } = options;
  const finish = (run: TaskRun, outcome: Outcome): Promise<boolean> =>
    db.transaction().execute(async (trx) => {
      const by = { attempt: run.attempt, leaseOwner: owner };
      return (await finishTask(trx, run.id, by, outcome, options.onFinished)) !== null;
    });

  return {
    async claim(kinds) {
      for (const kind of await waitingKinds(db, kinds)) {
        await tickets.prepare(kind);
        const claimed = await db.transaction().execute((trx) => claimOne(trx, tickets, kind, owner));
        if (claimed !== null) return claimed;
      }
      return null;
    },

    async renew(runs) {
      if (runs.length === 0) return new Set();
      const values = runs.map(({ id, attempt, progress }) => ({ id, attempt, ...progress }));
      const { rows } = await sql<{ id: string }>`
        update tasks set lease_until = ${LEASE_END},
          progress_done = coalesce(run.done, progress_done),
          progress_total = case when run.done is null then progress_total else run.total end
        from json_to_recordset(${JSON.stringify(values)}::json)
          as run(id uuid, attempt int, done double precision, total double precision)
        where tasks.id = run.id and tasks.attempt = run.attempt
          and tasks.lease_owner = ${owner} and tasks.status = 'processing'
        returning tasks.id`.execute(db);
      return new Set(rows.map((row) => row.id));
    },

    async readInput(run, seq) {
      const chunk = await db
        .selectFrom('task_chunks')
        .select('bytes')
        .where('task_id', '=', run.id)
        .where('direction', '=', 'input')
        .where('attempt', '=', 0)
        .where('seq', '=', seq)
        .executeTakeFirst();
      return chunk?.bytes ?? null;
    },

    async writeOutput(run, seq, bytes) {
      const { rows } = await sql`
        insert into task_chunks (task_id, direction, attempt, seq, bytes)
        select id, 'output', attempt, ${seq}::int, ${bytes}::bytea from tasks
        where id = ${run.id} and attempt = ${run.attempt} and lease_owner = ${owner} and status = 'processing'
        on conflict (task_id, direction, attempt, seq) do update set bytes = excluded.bytes
        returning seq`.execute(db);
      return rows.length > 0;
    },

    complete: (run, result) => finish(run, { status: 'completed', ...result }),
    fail: (run, error) => finish(run, { status: 'failed', error }),

    giveBack: (run) =>
      db.transaction().execute(async (trx) => {
        const row = await release(trx, run, owner, 0);
        if (row === null) return false;
        await requeue(trx, tickets, row);
        return true;
      }),

    reportDeath: (run) =>
      db.transaction().execute(async (trx) => {
        const row = await release(trx, run, owner, 1);
        return row === null ? 'lost' : afterDeath(trx, tickets, row, options.onFinished);
      }),

    reapExpired: () => reap(db, tickets, options.onFinished, sql<boolean>`lease_until < now()`),
    deleteExpired: () => deleteExpired(db),
    onSignal: options.onSignal,
  };
}

/**
 * Ends the leases of every other process as deaths. Only for the embedded database, whose lock proves that no other
 * process lives.
 */
export function reapStrangers(store: Store, tickets: Tickets, options: TaskQueueOptions): Promise<number> {
  return reap(store.db, tickets, options.onFinished, sql<boolean>`lease_owner <> ${options.owner}`);
}

/** The kinds that have a waiting task, the longest waiting first: one cheap look instead of a transaction a kind. */
async function waitingKinds(db: Kysely<Database>, kinds: readonly string[]): Promise<readonly string[]> {
  if (kinds.length === 0) return [];
  const rows = await db
    .selectFrom('tasks')
    .select('kind')
    .where('status', '=', 'processing')
    .where('lease_until', 'is', null)
    .where('kind', 'in', kinds)
    .groupBy('kind')
    .orderBy(sql`min(created_at)`)
    .execute();
  return rows.map((row) => row.kind);
}

async function claimOne(
  trx: Transaction<Database>,
  tickets: Tickets,
  kind: string,
  owner: string,
): Promise<ClaimedTask | null> {
  for (;;) {
    const ticket = await tickets.take(trx, kind);
    if (ticket === null) return null;
    const row = await trx
      .updateTable('tasks')
      .set({
        attempt: sql<number>`attempt + 1`,
        lease_owner: owner,
        lease_until: LEASE_END,
        ticket: null,
        progress_done: 0,
        progress_total: null,
      })
      .where('id', '=', ticket.taskId)
      .where('ticket', '=', ticket.id)
      .where('status', '=', 'processing')
      .returning(['id', 'kind', 'params', 'attempt'])
      .executeTakeFirst();
    // A ticket of a task that was cancelled meanwhile is used up without a run.
    if (row === undefined) continue;
    await trx
      .deleteFrom('task_chunks')
      .where('task_id', '=', row.id)
      .where('direction', '=', 'output')
      .where('attempt', '<', row.attempt)
      .execute();
    return row;
  }
}

async function release(
  trx: Transaction<Database>,
  run: TaskRun,
  owner: string,
  deaths: 0 | 1,
): Promise<TaskRow | null> {
  const row = await trx
    .updateTable('tasks')
    .set({ lease_owner: null, lease_until: null, deaths: sql<number>`deaths + ${sql.lit(deaths)}` })
    .where('id', '=', run.id)
    .where('attempt', '=', run.attempt)
    .where('lease_owner', '=', owner)
    .where('status', '=', 'processing')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

async function requeue(trx: Transaction<Database>, tickets: Tickets, row: TaskRow): Promise<void> {
  const id = randomUUID();
  await trx.updateTable('tasks').set({ ticket: id }).where('id', '=', row.id).execute();
  await tickets.issue(trx, row.kind, { id, taskId: row.id }, { first: true });
}

async function afterDeath(
  trx: Transaction<Database>,
  tickets: Tickets,
  row: TaskRow,
  onFinished: OnFinished,
): Promise<'again' | 'failed'> {
  if (row.deaths < MAX_DEATHS) {
    await requeue(trx, tickets, row);
    return 'again';
  }
  const detail = `the worker of this task stopped unexpectedly ${row.deaths} times; the task was not run again`;
  await finishTask(trx, row.id, 'locked', { status: 'failed', error: { code: 'task_failed', detail } }, onFinished);
  return 'failed';
}

async function reap(
  db: Kysely<Database>,
  tickets: Tickets,
  onFinished: OnFinished,
  isDead: ReturnType<typeof sql<boolean>>,
): Promise<number> {
  const kinds = await db.selectFrom('tasks').select('kind').distinct().where('lease_until', 'is not', null).where(isDead).execute();
  if (kinds.length === 0) return 0;
  for (const { kind } of kinds) await tickets.prepare(kind);
  return db.transaction().execute(async (trx) => {
    const dead = trx
      .selectFrom('tasks')
      .select('id')
      .where('lease_until', 'is not', null)
      .where(isDead)
      .where('kind', 'in', kinds.map((row) => row.kind))
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    const rows = await trx
      .updateTable('tasks')
      .set({ lease_owner: null, lease_until: null, deaths: sql<number>`deaths + 1` })
      .where('id', 'in', dead)
      .returningAll()
      .execute();
    for (const row of rows) await afterDeath(trx, tickets, row, onFinished);
    return rows.length;
  });
}

/** In small batches, because the embedded database does nothing else while it deletes the bytes of a task. */
async function deleteExpired(db: Kysely<Database>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { rows } = await sql`
      delete from tasks where id in (
        select id from tasks where expires_at <= now()
        union all
        select id from tasks where status = 'receiving' and created_at < now() - interval '1 day'
        limit 10)
      returning id`.execute(db);
    deleted += rows.length;
    if (rows.length === 0) return deleted;
  }
}
