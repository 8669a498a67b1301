import { sql, type Kysely, type Transaction } from 'kysely';
import type { ClaimedTask } from '../../tasks/task-queue.ts';
import type { Database } from '../database.ts';
import { LEASE_END } from './lease.ts';
import type { Tickets } from './tickets.ts';

/** Takes the longest waiting task of these kinds for `owner`, using up its ticket in the same transaction; or null. */
export async function claimTask(
  db: Kysely<Database>,
  tickets: Tickets,
  owner: string,
  kinds: readonly string[],
): Promise<ClaimedTask | null> {
  for (const kind of await waitingKinds(db, kinds)) {
    await tickets.prepare(kind);
    const claimed = await db.transaction().execute((trx) => claimOne(trx, tickets, kind, owner));
    if (claimed !== null) return claimed;
  }
  return null;
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
        progress_phase: null,
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
