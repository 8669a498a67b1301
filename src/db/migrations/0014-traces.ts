import { sql, type Kysely } from 'kysely';

/** Filing with the EU information system: sealed credentials, and submissions with what became of them. */
export async function traces(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table traces_credentials (
      user_id text not null,
      environment text not null,
      sealed text not null,
      updated_at timestamptz not null default now(),
      primary key (user_id, environment)
    )`.execute(db);
  // Statements are evidence that has to be kept for five years: rows stay when their collection or user goes.
  await sql`
    create table traces_submissions (
      id uuid primary key default gen_random_uuid(),
      user_id text not null,
      collection_id text not null,
      statement_number integer not null,
      kind text not null check (kind in ('dds', 'sd')),
      environment text not null,
      internal_reference text not null unique,
      state text not null,
      change text check (change in ('amend', 'retract')),
      summary json not null,
      content_blob uuid not null,
      content_sha256 text not null,
      pending_blob uuid,
      pending_sha256 text,
      pending_summary json,
      uuid text,
      reference_number text,
      verification_number text,
      rejection_reason text,
      communication text,
      failure json,
      failures integer not null default 0,
      sends integer not null default 0,
      empty_answers integer not null default 0,
      attempt integer not null default 0,
      lease_owner uuid,
      lease_until timestamptz,
      handed_over_at timestamptz,
      awaits_answer boolean not null default false,
      queried_at timestamptz,
      next_at timestamptz default now(),
      not_yet_available_at timestamptz,
      available_at timestamptz,
      idempotency_key text,
      fingerprint text,
      created_at timestamptz not null default now(),
      unique (user_id, idempotency_key)
    )`.execute(db);
  await sql`create index traces_submissions_due on traces_submissions (next_at) where next_at is not null`.execute(db);
  await sql`create index traces_submissions_newest on traces_submissions (user_id, created_at desc, id desc)`.execute(
    db,
  );
  await sql`create index traces_submissions_of on traces_submissions (user_id, collection_id, created_at desc)`.execute(
    db,
  );
  // Of one draft of one collection at most one filing is under way or in force in an environment.
  await sql`create unique index traces_submissions_live on traces_submissions
    (user_id, collection_id, statement_number, kind, environment)
    where state not in ('refused', 'cancelled', 'rejected', 'withdrawn', 'obsolete')`.execute(db);
}
