import { sql, type Kysely } from 'kysely';

/**
 * Collections and the parts their locations are kept in. A part belongs to the run (the task) that wrote it, so that what a
 * new run finds replaces what the last one found at once. A task may read its input from a blob and say what it is at.
 */
export async function collections(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column input_blob uuid`.execute(db);
  await sql`alter table tasks add column progress_phase text`.execute(db);
  await sql`
    create table collections (
      id uuid primary key,
      user_id text not null,
      name text not null,
      description text not null,
      status text not null check (status in ('staged', 'processing', 'completed', 'failed', 'cancelled')),
      file_name text not null,
      file_size double precision not null,
      file_sha256 text not null,
      file_blob uuid not null,
      reading json not null,
      options json,
      counts json,
      confidence text,
      confidence_counts json,
      confidence_reasons json,
      error_code text,
      error_detail text,
      task_id uuid,
      run uuid,
      report_blob uuid,
      idempotency_key text,
      fingerprint bytea,
      created_at timestamptz not null default clock_timestamp(),
      completed_at timestamptz
    )`.execute(db);
  await sql`create index collections_of_user on collections (user_id, created_at desc, id desc)`.execute(db);
  await sql`create unique index collections_idempotency on collections (user_id, idempotency_key)
    where idempotency_key is not null`.execute(db);
  await sql`create index collections_task on collections (task_id) where task_id is not null`.execute(db);
  await sql`
    create table collection_parts (
      collection_id uuid not null references collections on delete cascade,
      run uuid not null,
      seq integer not null,
      first_number integer not null,
      count integer not null,
      summary json not null,
      bytes bytea not null,
      primary key (run, seq)
    )`.execute(db);
  await sql`create index collection_parts_of on collection_parts (collection_id)`.execute(db);
  // Compressed before it is stored.
  await sql`alter table collection_parts alter column bytes set storage external`.execute(db);
}
