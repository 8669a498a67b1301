import { sql, type Kysely } from 'kysely';

/** How often the process that worked on a task ended under it, counted apart from crashes of the task itself. */
export async function processCrashes(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column process_crashes integer not null default 0`.execute(db);
}
