import { hostname } from 'node:os';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { TaskPart } from '../../jobs/checkpoints.ts';
import type { ClaimedTask, ClaimOptions } from '../../jobs/task-queue.ts';
import type { Database } from '../database.ts';
import { isPrepared, LATE_COMMIT } from './parts.ts';
import { LEASE_END, type TaskRow } from './task-row.ts';

/** Users that are tried in one claim, and tasks of each: other processes may take them at the same moment. */
const MAX_TRIES = 20;

/** This process, as `firstmile queue` names it. */
const WORKER = `${hostname()} ${process.pid}`;

/** A task that is nobody's, and whose parts, if it was cut, are all done. */
const IS_READY = sql<boolean>`(lease_until is null and coalesce(parts_left, 0) <= 0)`;
/** A task that was cut and has a part that is nobody's. */
const HAS_WAITING_PART = sql<boolean>`(parts_left > 0 and exists (
  select from tasks as part where part.parent = tasks.id and part.status = 'processing' and part.lease_until is null))`;

/** A task that is being cut and has a part that was not begun yet: a part is prepared once at most. */
const HAS_PART_TO_PREPARE = sql<boolean>`(parts_left is null and lease_until is not null and exists (
  select from tasks as part where part.parent = tasks.id and part.status = 'processing' and part.lease_until is null
    and part.attempt = 0))`;
/** A task with something that could be begun. */
const IS_WAITING = sql<boolean>`(${IS_READY} or ${HAS_WAITING_PART} or ${HAS_PART_TO_PREPARE})`;

/**
 * Bytes of input, and locations once those are known, up to which a task counts as short: some seconds of work. A task without input
 * may be anything.
 */
const SHORT = { bytes: 1_000_000, locations: 1_000 } as const;
const IS_SHORT = sql<boolean>`coalesce(case when parts_left is not null then progress_total <= ${sql.lit(SHORT.locations)}
  when input_blob is not null then (select size from blobs where blobs.id = input_blob) <= ${sql.lit(SHORT.bytes)}
  else (select sum(octet_length(bytes)) from task_chunks where task_id = tasks.id and direction = 'input')
    <= ${sql.lit(SHORT.bytes)} end, false)`;
/** Of the runs of a user: a part, or a short task. */
const HAS_SHORT_RUN = sql<boolean>`bool_or(parent is not null or ${IS_SHORT})`;

interface Turn {
  readonly userId: string;
  /** Has nothing at work. */
  readonly isNewcomer: boolean;
}

/**
 * Takes a waiting task of these kinds, or a part of one, for `owner`; or null. It is the turn of the user with the fewest tasks
 * and parts at work, anywhere; among equals of the one who was served longest ago. Of the tasks of one user those begin first
 * that were given back or have to be joined, then those on which the fewest are at work, then in the order they came.
 */
export async function claimTask(
  db: Kysely<Database>,
  owner: string,
  kinds: readonly string[],
  options: ClaimOptions = {},
): Promise<ClaimedTask | null> {
  if (kinds.length === 0) return null;
  for (const { userId, isNewcomer } of await usersInTurn(db, kinds, options)) {
    const onlyShort = options.shortOnly === true || (options.extraPlace === true && !isNewcomer);
    const claimed = await db.transaction().execute((trx) => claimOf(trx, userId, kinds, owner, onlyShort));
    if (claimed !== null) return claimed;
  }
  return null;
}

async function usersInTurn(
  db: Kysely<Database>,
  kinds: readonly string[],
  { extraPlace = false, shortOnly = false }: ClaimOptions,
): Promise<readonly Turn[]> {
  const { rows } = await sql<Turn>`
    with waiting as (
      select user_id, min(created_at) as since from tasks
      where status = 'processing' and parent is null and kind in (${sql.join(kinds)})
        and ${IS_WAITING} and ${shortWhere(shortOnly)}
      group by user_id),
    running as (
      select user_id, count(*) as runs, ${extraPlace ? HAS_SHORT_RUN : sql`false`} as has_short
      from tasks where lease_owner is not null group by user_id)
    select user_id as "userId", runs is null as "isNewcomer"
    from waiting left join running using (user_id) left join task_turns using (user_id)
    where ${extraPlace} = false or runs is null
      or (not has_short and exists (
        select from tasks where tasks.user_id = waiting.user_id and status = 'processing' and parent is null
          and kind in (${sql.join(kinds)}) and ${IS_WAITING} and ${IS_SHORT}))
    order by coalesce(runs, 0), served_at nulls first, since
    limit ${sql.lit(MAX_TRIES)}`.execute(db);
  return rows;
}

function shortWhere(shortOnly: boolean): RawBuilder<boolean> {
  return shortOnly ? IS_SHORT : sql<boolean>`true`;
}

/** The user's next task or part, passing over those that other transactions hold. */
async function claimOf(
  trx: Transaction<Database>,
  userId: string,
  kinds: readonly string[],
  owner: string,
  onlyShort: boolean,
): Promise<ClaimedTask | null> {
  const { rows: tasks } = await sql<{ readonly id: string; readonly isReady: boolean; readonly isCut: boolean }>`
    select id, ${IS_READY} as "isReady", parts_left is not null as "isCut" from tasks
    where user_id = ${userId} and status = 'processing' and parent is null and kind in (${sql.join(kinds)})
      and ${IS_WAITING} and ${shortWhere(onlyShort)}
    order by attempt = 0 or coalesce(parts_left, 0) > 0 or lease_until is not null,
      (lease_until is not null)::int
        + (select count(*) from tasks as part where part.parent = tasks.id and part.lease_until is not null),
      created_at
    limit ${sql.lit(MAX_TRIES)}`.execute(trx);
  for (const { id, isReady, isCut } of tasks) {
    const next = await (isReady ? lockTask(trx, id) : lockPart(trx, id, isCut));
    if (next !== undefined) return begin(trx, next, userId, owner);
  }
  return null;
}

async function lockTask(trx: Transaction<Database>, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from tasks where id = ${id} and status = 'processing' and ${IS_READY}
    for update skip locked`.execute(trx);
  return rows[0]?.id;
}

async function lockPart(trx: Transaction<Database>, parent: string, isCut: boolean): Promise<string | undefined> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from tasks where parent = ${parent} and status = 'processing' and lease_until is null
      and (attempt = 0 or ${isCut})
    order by part limit 1 for update skip locked`.execute(trx);
  return rows[0]?.id;
}

async function begin(trx: Transaction<Database>, id: string, userId: string, owner: string): Promise<ClaimedTask> {
  const row = await trx
    .updateTable('tasks')
    .set({
      // The run that joins the parts goes on with the one that cut the task, which has ended.
      attempt: sql<number>`case when parts_left = 0 then attempt else attempt + 1 end`,
      parts_left: sql<number | null>`case when parts_left = 0 then -1 else parts_left end`,
      lease_owner: owner,
      lease_until: LEASE_END,
      worker: WORKER,
      begun_at: sql<Date>`now()`,
      progress_done: sql<number>`case when parts_left is null then 0 else progress_done end`,
      progress_total: sql<number | null>`case when parts_left is null then null else progress_total end`,
      progress_phase: sql<string | null>`case when parts_left is null then null else progress_phase end`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('task_turns')
    .values({ user_id: userId, served_at: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ served_at: sql<Date>`clock_timestamp()` }))
    .execute();
  if (row.attempt > 1 && row.parent === null)
    await trx
      .deleteFrom('task_chunks')
      .where('task_id', '=', row.id)
      .where('direction', '=', 'output')
      .where('attempt', '<', row.attempt)
      .execute();
  return claimed(trx, row);
}

async function claimed(trx: Transaction<Database>, row: TaskRow): Promise<ClaimedTask> {
  const { id, kind, params, attempt, parent, cut, parts_left: left } = row;
  if (parent === null) {
    const stage = left === null ? ({ type: 'whole' } as const) : ({ type: 'join', cut } as const);
    return { id, kind, params, attempt, stage };
  }
  const whole = await trx
    .selectFrom('tasks')
    .select(['params', 'parts_left', isPrepared(id).as('isPrepared'), LATE_COMMIT.as('commit')])
    .where('id', '=', parent)
    .executeTakeFirstOrThrow();
  const part = params as TaskPart;
  const stage =
    whole.parts_left === null
      ? ({ type: 'prepare', part } as const)
      : ({ type: 'part', part, isPrepared: whole.isPrepared } as const);
  return { id, kind, params: whole.params, attempt, parent, stage };
}
