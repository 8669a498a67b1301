import { sql, type Kysely } from 'kysely';

/** Tasks, their bytes, and blobs. `params` is json, not jsonb, which refuses the escape `\u0000`. */
export async function tasks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tasks (
      id uuid primary key,
      kind text not null,
      user_id text not null,
      status text not null check (status in ('receiving', 'processing', 'completed', 'failed', 'cancelled')),
      params json not null,
      progress_done double precision not null default 0,
      progress_total double precision,
      attempt integer not null default 0,
      deaths integer not null default 0,
      lease_owner uuid,
      lease_until timestamptz,
      ticket uuid,
      result_type text,
      result_chunks integer,
      error_code text,
      error_detail text,
      idempotency_key text,
      fingerprint bytea,
      retention_s double precision not null,
      created_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      expires_at timestamptz
    )`.execute(db);
  await sql`create unique index tasks_idempotency on tasks (user_id, idempotency_key)
    where idempotency_key is not null`.execute(db);
  await sql`create index tasks_of_user on tasks (user_id, created_at desc, id desc)`.execute(db);
  await sql`create index tasks_unfinished on tasks (id) where status = 'processing'`.execute(db);
  await sql`create index tasks_waiting on tasks (kind, created_at)
    where status = 'processing' and lease_until is null`.execute(db);
  await sql`create index tasks_leased on tasks (lease_until) where lease_until is not null`.execute(db);
  await sql`create index tasks_expiry on tasks (expires_at) where expires_at is not null`.execute(db);
  await sql`create index tasks_receiving on tasks (created_at) where status = 'receiving'`.execute(db);
  await sql`
    create table task_chunks (
      task_id uuid not null references tasks on delete cascade,
      direction text not null check (direction in ('input', 'output')),
      attempt integer not null,
      seq integer not null,
      bytes bytea not null,
      primary key (task_id, direction, attempt, seq)
    )`.execute(db);
  await sql`
    create table blobs (
      id uuid primary key default gen_random_uuid(),
      size double precision,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table blob_chunks (
      blob_id uuid not null references blobs on delete cascade,
      seq integer not null,
      bytes bytea not null,
      primary key (blob_id, seq)
    )`.execute(db);
  // Compressing a chunk costs more time than storing it.
  await sql`alter table task_chunks alter column bytes set storage external`.execute(db);
  await sql`alter table blob_chunks alter column bytes set storage external`.execute(db);
}
