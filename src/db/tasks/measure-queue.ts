import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** The queue in numbers, for an alert when it stands still. */
interface QueueMeasures {
  /** Tasks and parts that a process works on and that it was heard of within its lease. */
  readonly running: number;
  /**
   * Seconds since the oldest task or part that nobody works on was submitted or cut off; 0 where none waits. One whose process was lost
   * counts among them, one that waits because its file cannot be reached does not.
   */
  readonly oldestWaitingS: number;
}

export async function measureQueue(db: Kysely<Database>): Promise<QueueMeasures> {
  const isWaiting = sql`coalesce(parts_left, 0) <= 0 and (lease_until is null or (lease_owner is not null and lease_until < now()))`;
  const { rows } = await sql<QueueMeasures>`
    select count(*) filter (where lease_owner is not null and lease_until >= now())::int as running,
      greatest(0, coalesce(extract(epoch from now() - min(created_at) filter (where ${isWaiting})), 0))::float8
        as "oldestWaitingS"
    from tasks where status = 'processing'`.execute(db);
  return rows[0]!;
}
