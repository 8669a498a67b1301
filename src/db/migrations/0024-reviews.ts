import { sql, type Kysely } from 'kysely';

/**
 * What people decided about locations of a collection, or about rated places of a task. An entry is one act with the rows that
 * it is about: rows are added and never changed, and the newest entry of a row counts.
 */
export async function reviews(db: Kysely<unknown>): Promise<void> {
  // How many entries there are, which is also the number of the newest.
  await sql`alter table collections add column reviews integer not null default 0`.execute(db);
  await sql`alter table tasks add column reviews integer not null default 0`.execute(db);
  await sql`
    create table reviews (
      id uuid primary key,
      collection_id uuid references collections on delete cascade,
      task_id uuid references tasks on delete cascade,
      seq integer not null,
      state text not null check (state in ('open', 'reviewed', 'accepted', 'rejected')),
      note text not null,
      user_id text not null,
      made_by text not null,
      credential text not null,
      at timestamptz not null default clock_timestamp(),
      check (num_nonnulls(collection_id, task_id) = 1)
    )`.execute(db);
  await sql`create index reviews_of_collection on reviews (collection_id) where collection_id is not null`.execute(db);
  await sql`create index reviews_of_task on reviews (task_id) where task_id is not null`.execute(db);
  await sql`
    create table review_rows (
      subject uuid not null,
      number integer not null,
      seq integer not null,
      review_id uuid not null references reviews on delete cascade,
      primary key (subject, number, seq)
    )`.execute(db);
  await sql`create index review_rows_of_review on review_rows (review_id)`.execute(db);
}
