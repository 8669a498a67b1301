import { sql, type Kysely } from 'kysely';

/** How often the worker thread of a task crashed on each step that it worked on alone. */
export async function crashesOfSteps(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks
    drop column working_on,
    drop column suspect,
    drop column suspect_crashes,
    add column crashes_of jsonb not null default '{}'`.execute(db);
}
