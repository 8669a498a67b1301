import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Tasks that wait or run, of one user or of all, counted no further than `limit`. */
export async function countUnfinished(db: Kysely<Database>, limit: number, userId?: string): Promise<number> {
  const all = db.selectFrom('tasks').select('id').where('status', '=', 'processing').limit(limit);
  const unfinished = userId === undefined ? all : all.where('user_id', '=', userId);
  const { count } = await db
    .selectFrom(unfinished.as('unfinished'))
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
