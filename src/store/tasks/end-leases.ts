import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { TaskRun } from '../../tasks/task-run.ts';
import type { Database } from '../database.ts';
import { finishTask, type OnFinished } from './finish-task.ts';
import type { TaskRow } from './task-row.ts';
import type { Tickets } from './tickets.ts';

/** What the end of a lease needs: where to queue the task again and whom to tell when it is failed for good. */
export interface LeaseParts {
  readonly db: Kysely<Database>;
  readonly tickets: Tickets;
  readonly onFinished: OnFinished;
  /** Names this process in leases. */
  readonly owner: string;
}

/** Deaths of a worker after which its task is not run again. */
export const MAX_DEATHS = 3;
const BATCH = 100;

/** The run goes back to the front of the queue as if it had never begun; false when it is not this process's any more. */
export function giveBack(parts: LeaseParts, run: TaskRun): Promise<boolean> {
  return parts.db.transaction().execute(async (trx) => {
    const row = await release(trx, run, parts.owner, 0);
    if (row === null) return false;
    await requeue(trx, parts.tickets, row);
    return true;
  });
}

/** The run died in this process. */
export function reportDeath(parts: LeaseParts, run: TaskRun): Promise<'again' | 'failed' | 'lost'> {
  return parts.db.transaction().execute(async (trx) => {
    const row = await release(trx, run, parts.owner, 1);
    return row === null ? 'lost' : afterDeath(trx, parts, row);
  });
}

/** Takes for dead every run whose lease ran out; returns how many there were. */
export function reapExpired(parts: LeaseParts): Promise<number> {
  return reap(parts, sql<boolean>`lease_until < now()`);
}

/**
 * Takes for dead every run of another process. Only for the embedded database, whose lock proves that no other process
 * lives.
 */
export async function reapStrangers(parts: LeaseParts): Promise<void> {
  while ((await reap(parts, sql<boolean>`lease_owner <> ${parts.owner}`)) > 0);
}

async function reap({ db, ...parts }: LeaseParts, isDead: RawBuilder<boolean>): Promise<number> {
  const leased = db.selectFrom('tasks').where('lease_until', 'is not', null).where(isDead);
  const kinds = (await leased.select('kind').distinct().execute()).map((row) => row.kind);
  if (kinds.length === 0) return 0;
  for (const kind of kinds) await parts.tickets.prepare(kind);
  return db.transaction().execute(async (trx) => {
    const dead = trx
      .selectFrom('tasks')
      .select('id')
      .where('lease_until', 'is not', null)
      .where(isDead)
      .where('kind', 'in', kinds)
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    const rows = await trx
      .updateTable('tasks')
      .set({ lease_owner: null, lease_until: null, deaths: sql<number>`deaths + 1` })
      .where('id', 'in', dead)
      .returningAll()
      .execute();
    for (const row of rows) await afterDeath(trx, parts, row);
    return rows.length;
  });
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
  { tickets, onFinished }: Pick<LeaseParts, 'tickets' | 'onFinished'>,
  row: TaskRow,
): Promise<'again' | 'failed'> {
  if (row.deaths < MAX_DEATHS) {
    await requeue(trx, tickets, row);
    return 'again';
  }
  const detail = `the worker of this task stopped unexpectedly ${row.deaths} times; the task was not run again`;
  await finishTask(trx, row.id, 'locked', { status: 'failed', error: { code: 'task_failed', detail } }, onFinished);
  return 'failed';
}
