import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Tasks that wait or run, counted no further than `limit`. */
export async function countUnfinished(db: Kysely<Database>, limit: number): Promise<number> {
  const unfinished = db.selectFrom('tasks').select('id').where('status', '=', 'processing').limit(limit);
  const { count } = await db
    .selectFrom(unfinished.as('unfinished'))
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
