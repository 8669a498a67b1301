import { sql, type Kysely } from 'kysely';

/** When a task of each user was begun last, so that users take turns. */
export async function taskTurns(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table task_turns (
      user_id text primary key,
      served_at timestamptz not null
    )`.execute(db);
}
