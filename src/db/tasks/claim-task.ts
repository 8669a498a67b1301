import { sql, type Kysely, type Transaction } from 'kysely';
import type { ClaimedTask, ClaimOptions } from '../../jobs/task-queue.ts';
import type { Database } from '../database.ts';
import { LEASE_END } from './task-row.ts';

/** Users that are tried in one claim: other processes may take their tasks at the same moment. */
const MAX_TRIES = 20;

/**
 * Takes a waiting task of these kinds for `owner`, or null. It is the turn of
 * the user with the fewest tasks at work, anywhere; among equals of the one who was served longest ago. The tasks of one
 * user begin in the order they came, those that were given back first.
 */
export async function claimTask(
  db: Kysely<Database>,
  owner: string,
  kinds: readonly string[],
  options: ClaimOptions = {},
): Promise<ClaimedTask | null> {
  if (kinds.length === 0) return null;
  for (const userId of await usersInTurn(db, kinds, options)) {
    const claimed = await db.transaction().execute((trx) => claimOf(trx, userId, kinds, owner));
    if (claimed !== null) return claimed;
  }
  return null;
}

async function usersInTurn(
  db: Kysely<Database>,
  kinds: readonly string[],
  { newcomersOnly = false }: ClaimOptions,
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly userId: string }>`
    with waiting as (
      select user_id, min(created_at) as since from tasks
      where status = 'processing' and lease_until is null and kind in (${sql.join(kinds)})
      group by user_id),
    running as (
      select user_id, count(*) as runs from tasks where lease_until is not null group by user_id)
    select user_id as "userId"
    from waiting left join running using (user_id) left join task_turns using (user_id)
    where ${newcomersOnly} = false or runs is null
    order by coalesce(runs, 0), served_at nulls first, since
    limit ${sql.lit(MAX_TRIES)}`.execute(db);
  return rows.map(({ userId }) => userId);
}

/** The user's next task, passing over those that other transactions hold. */
async function claimOf(
  trx: Transaction<Database>,
  userId: string,
  kinds: readonly string[],
  owner: string,
): Promise<ClaimedTask | null> {
  const next = await trx
    .selectFrom('tasks')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'processing')
    .where('lease_until', 'is', null)
    .where('kind', 'in', kinds)
    .orderBy(sql`attempt = 0`)
    .orderBy('created_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (next === undefined) return null;
  const row = await trx
    .updateTable('tasks')
    .set({
      attempt: sql<number>`attempt + 1`,
      lease_owner: owner,
      lease_until: LEASE_END,
      progress_done: 0,
      progress_total: null,
      progress_phase: null,
    })
    .where('id', '=', next.id)
    .returning(['id', 'kind', 'params', 'attempt'])
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('task_turns')
    .values({ user_id: userId, served_at: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ served_at: sql<Date>`clock_timestamp()` }))
    .execute();
  await trx
    .deleteFrom('task_chunks')
    .where('task_id', '=', row.id)
    .where('direction', '=', 'output')
    .where('attempt', '<', row.attempt)
    .execute();
  return row;
}
