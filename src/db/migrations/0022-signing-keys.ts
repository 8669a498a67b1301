import { sql, type Kysely } from 'kysely';

/** The keys that files are signed with: one in use, the public halves of those before it. */
export async function signingKeys(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table signing_keys (
      id text primary key,
      public_key text not null,
      sealed text,
      created_at timestamptz not null default now(),
      retired_at timestamptz,
      check ((sealed is null) = (retired_at is not null))
    )`.execute(db);
  await sql`create unique index signing_keys_in_use on signing_keys ((true)) where retired_at is null`.execute(db);
}
