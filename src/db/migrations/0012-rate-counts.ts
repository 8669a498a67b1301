import { sql, type Kysely } from 'kysely';

/** Requests of each client in its running windows. Not logged: counts that a crash of the database forgets begin again at 0. */
export async function rateCounts(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table rate_counts (
    key text primary key,
    used_1 integer not null,
    ends_1 timestamptz not null,
    used_2 integer not null,
    ends_2 timestamptz not null,
    allowed boolean not null
  )`.execute(db);
  await sql`create index rate_counts_ends on rate_counts (greatest(ends_1, ends_2))`.execute(db);
}
