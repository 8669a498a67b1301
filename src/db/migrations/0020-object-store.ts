import { sql, type Kysely } from 'kysely';

/**
 * Files in a bucket: where a blob or the results of a task lie there, and which objects are to be removed. Whatever deletes a row
 * that names an object leaves the key in `object_sweep`, in the same transaction.
 */
export async function objectStore(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table installation (
      id uuid primary key default gen_random_uuid(),
      files_at text
    )`.execute(db);
  await sql`create unique index installation_single on installation ((true))`.execute(db);
  await sql`insert into installation default values`.execute(db);
  await sql`
    create table object_sweep (
      key text primary key,
      due_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index object_sweep_due on object_sweep (due_at)`.execute(db);
  await sql`alter table blobs
    add column object_key text,
    add column sha256 text,
    add column moving_until timestamptz`.execute(db);
  await sql`alter table tasks
    add column result_key text,
    add column result_size double precision,
    add column moving_until timestamptz`.execute(db);
  await sql`create index blobs_in_database on blobs (created_at) where object_key is null`.execute(db);
  await sql`create index tasks_results_in_database on tasks (finished_at)
    where result_key is null and status = 'completed' and result_chunks >= 4`.execute(db);
  for (const [table, column] of [
    ['blobs', 'object_key'],
    ['tasks', 'result_key'],
  ] as const) {
    const name = sql.ref(`sweep_${table}`);
    await sql`
      create function ${name}() returns trigger language plpgsql as $$
      begin
        insert into object_sweep (key) values (old.${sql.ref(column)})
          on conflict (key) do update set due_at = now();
        return null;
      end $$`.execute(db);
    await sql`create trigger ${name} after delete on ${sql.table(table)} for each row
      when (old.${sql.ref(column)} is not null) execute function ${name}()`.execute(db);
  }
}
