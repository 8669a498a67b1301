import { sql, type Kysely } from 'kysely';

/** The batch before the last one of a collection, whose parts are kept, so that the two can be compared. */
export async function earlierRuns(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections add column earlier json`.execute(db);
}
