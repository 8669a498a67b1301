import { sql, type Kysely } from 'kysely';

/** Which item a task works on alone, and which one its worker thread crashed on last, how often in a row. */
export async function suspects(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks
    add column working_on integer,
    add column suspect integer,
    add column suspect_crashes integer not null default 0`.execute(db);
}
