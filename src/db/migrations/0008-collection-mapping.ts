import { sql, type Kysely } from 'kysely';

/** How the columns of a collection's file were read: as it was staged, then as its last completed batch read it. */
export async function collectionMapping(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections add column mapping json`.execute(db);
}
