import { sql, type Kysely } from 'kysely';

/** Collections that are measured again when data changes, what is known of their plots, and each time it was done. */
export async function watches(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table collection_watches (
      collection_id uuid primary key references collections on delete cascade,
      email text,
      datasets json,
      known bytea not null,
      again_at timestamptz,
      created_at timestamptz not null default now(),
      checked_at timestamptz
    )`.execute(db);
  // Compressed before it is stored.
  await sql`alter table collection_watches alter column known set storage external`.execute(db);
  await sql`
    create table collection_watch_runs (
      id uuid primary key,
      collection_id uuid not null references collections on delete cascade,
      number integer not null,
      state text not null check (state in ('measuring', 'unchanged', 'changed', 'not_measured', 'failed')),
      datasets json not null,
      task_id uuid,
      counts json,
      changes json not null default '[]',
      unmeasured json not null default '[]',
      reason text,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      unique (collection_id, number)
    )`.execute(db);
  // Of one collection one run at a time, whoever begins it.
  await sql`create unique index collection_watch_runs_open on collection_watch_runs (collection_id)
    where state = 'measuring'`.execute(db);
}
