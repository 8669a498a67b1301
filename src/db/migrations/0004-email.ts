import { sql, type Kysely } from 'kysely';

/** The outbox: emails, what they carry and what came of every attempt to send them. */
export async function email(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table emails (
      id uuid primary key default gen_random_uuid(),
      key text not null unique,
      kind text not null,
      user_id text not null,
      recipient text not null,
      subject text not null,
      body text not null,
      body_without_attachments text,
      state text not null check (state in ('pending', 'sending', 'sent', 'failed', 'unknown')),
      message_id text,
      attempt integer not null default 0,
      tries integer not null default 0,
      detail text,
      next_attempt_at timestamptz default now(),
      lease_owner uuid,
      lease_until timestamptz,
      claimed_at timestamptz,
      handed_over_at timestamptz,
      created_at timestamptz not null default now(),
      finished_at timestamptz
    )`.execute(db);
  await sql`create index emails_due on emails (next_attempt_at) where state = 'pending'`.execute(db);
  await sql`create index emails_leased on emails (lease_until) where state = 'sending'`.execute(db);
  await sql`create index emails_newest on emails (created_at desc, id desc)`.execute(db);
  await sql`create index emails_finished on emails (finished_at) where finished_at is not null`.execute(db);
  // A blob belongs to whoever stored it: deleted by its owner, the email can only say that the file is gone.
  await sql`
    create table email_attachments (
      email_id uuid not null references emails on delete cascade,
      seq integer not null,
      filename text not null,
      content_type text not null,
      size double precision not null,
      sha256 text not null,
      blob_id uuid not null,
      primary key (email_id, seq)
    )`.execute(db);
  await sql`
    create table email_attempts (
      email_id uuid not null references emails on delete cascade,
      number integer not null,
      started_at timestamptz not null,
      ended_at timestamptz not null default clock_timestamp(),
      result text not null,
      detail text not null,
      primary key (email_id, number)
    )`.execute(db);
}
