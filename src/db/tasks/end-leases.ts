import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { TaskRun } from '../../jobs/checkpoints.ts';
import type { Database } from '../database.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { CRASHES_OF_STEP, MAX_CRASHES } from './crash-limits.ts';
import { finishTask, type OnFinished } from './finish-task.ts';
import type { TaskRow } from './task-row.ts';

/** What the end of a lease needs: whose leases they are and whom to inform when a task is failed for good. */
export interface LeaseParts {
  readonly db: Kysely<Database>;
  /** The bucket that inputs may lie in. */
  readonly objects: ObjectStore | null;
  readonly onFinished: OnFinished;
  /** Names this process in leases. */
  readonly owner: string;
}

/**
 * Ends of the whole process after which a task is not run again. They come from outside as a rule, and say nothing about
 * the task; but a task that ends its process each time must not do so for ever.
 */
const MAX_PROCESS_CRASHES = 10;
const BATCH = 100;
/** Until what could not be reached is tried again. */
const POSTPONE_S = 60;
/** After a task was postponed for the first time without getting any further, until it is not postponed any more. */
export const WAIT_FOR_FILES_H = 24;

const NOT_BLAMED = {};
/** A lease that is nobody's: the task cannot be claimed until it has run out. */
const POSTPONED = {
  lease_until: sql<Date>`now() + ${sql.lit(POSTPONE_S)} * interval '1 second'`,
  progress_phase: 'waiting',
  away_since: sql<Date>`coalesce(away_since, now())`,
};

/** The thread crashed. When a step is found to be the cause, what is left of the task may crash as often as at first. */
function blamed(step: string | null): { deaths: RawBuilder<number>; crashes_of?: RawBuilder<Record<string, number>> } {
  if (step === null) return { deaths: sql`deaths + 1` };
  const crashes = sql<number>`coalesce((crashes_of ->> ${step}::text)::int, 0) + 1`;
  return {
    deaths: sql`case when ${crashes} = ${CRASHES_OF_STEP}::int then 1 else deaths + 1 end`,
    crashes_of: sql`crashes_of || jsonb_build_object(${step}::text, ${crashes})`,
  };
}

/** The run goes back to the front of the queue as if it had never begun; false when it is not this process's any more. */
export function giveBack(parts: LeaseParts, run: TaskRun): Promise<boolean> {
  return parts.db.transaction().execute(async (trx) => (await release(trx, run, parts.owner, NOT_BLAMED)) !== null);
}

/** What the run needs cannot be reached, which is no fault of the task. */
export function postpone(parts: LeaseParts, run: TaskRun): Promise<'later' | 'failed' | 'lost'> {
  return parts.db.transaction().execute(async (trx) => {
    const row = await release(trx, run, parts.owner, POSTPONED);
    if (row === null) return 'lost';
    if (row.away_since === null || Date.now() - row.away_since.getTime() < WAIT_FOR_FILES_H * 3_600_000) return 'later';
    const detail = `the file of this task could not be read for ${WAIT_FOR_FILES_H} hours; the task is not run again`;
    const error = { code: 'dependency_unavailable', detail } as const;
    await finishTask(trx, row.id, 'locked', { status: 'failed', error }, parts.onFinished);
    return 'failed';
  });
}

/** The run died in this process. */
export function reportCrash(
  parts: LeaseParts,
  run: TaskRun,
  step: string | null,
): Promise<'again' | 'failed' | 'lost'> {
  return parts.db.transaction().execute(async (trx) => {
    const row = await release(trx, run, parts.owner, blamed(step));
    return row === null ? 'lost' : afterCrash(trx, parts, row, step);
  });
}

/**
 * Takes back every run whose lease ran out, because its process is gone, and returns how many there were; tasks that were
 * postponed long enough wait again.
 */
export async function reapExpired(parts: LeaseParts): Promise<number> {
  await sql`update tasks set lease_until = null where lease_owner is null and lease_until < now()`.execute(parts.db);
  return reap(parts, sql<boolean>`lease_owner is not null and lease_until < now()`);
}

/**
 * Takes for dead every run of another process. Only for the embedded database, whose lock proves that no other process
 * lives.
 */
export async function reapOtherOwners(parts: LeaseParts): Promise<void> {
  while ((await reap(parts, sql<boolean>`lease_owner <> ${parts.owner}`)) > 0);
}

async function reap({ db, ...parts }: LeaseParts, isDead: RawBuilder<boolean>): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const dead = trx
      .selectFrom('tasks')
      .select('id')
      .where('lease_until', 'is not', null)
      .where(isDead)
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    const rows = await trx
      .updateTable('tasks')
      .set({
        lease_owner: null,
        lease_until: null,
        process_crashes: sql<number>`process_crashes + 1`,
      })
      .where('id', 'in', dead)
      .returningAll()
      .execute();
    for (const row of rows) await afterCrash(trx, parts, row, null);
    return rows.length;
  });
}

async function release(
  trx: Transaction<Database>,
  run: TaskRun,
  owner: string,
  blame: ReturnType<typeof blamed> | typeof NOT_BLAMED | typeof POSTPONED,
): Promise<TaskRow | null> {
  const row = await trx
    .updateTable('tasks')
    .set({ lease_owner: null, lease_until: null, ...blame })
    .where('id', '=', run.id)
    .where('attempt', '=', run.attempt)
    .where('lease_owner', '=', owner)
    .where('status', '=', 'processing')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

async function afterCrash(
  trx: Transaction<Database>,
  { onFinished }: Pick<LeaseParts, 'onFinished'>,
  row: TaskRow,
  step: string | null,
): Promise<'again' | 'failed'> {
  if (row.deaths < MAX_CRASHES && row.process_crashes < MAX_PROCESS_CRASHES) return 'again';
  const detail =
    row.deaths < MAX_CRASHES
      ? `the process that worked on this task ended unexpectedly ${row.process_crashes} times; the task was not run again`
      : `the worker of this task stopped unexpectedly ${row.deaths} times${step === null ? '' : `, the last time while ${step}`}; the task was not run again`;
  await finishTask(trx, row.id, 'locked', { status: 'failed', error: { code: 'task_failed', detail } }, onFinished);
  return 'failed';
}
