import { sql, type Kysely } from 'kysely';
import type { KeptStore } from '../../jobs/kept-parts.ts';
import type { Database } from '../database.ts';

/**
 * Kept parts of the tasks that work on collections. A part is written in one statement with the look at the fencing token,
 * which locks the task: a run that is cancelled or lost meanwhile writes nothing, and nothing is written after it ended.
 */
export function createKeptStore(db: Kysely<Database>, owner: string): KeptStore {
  return {
    async list({ id }) {
      const rows = await db
        .selectFrom('collection_parts')
        .select(['seq', 'first_number as first', 'count', 'summary'])
        .where('run', '=', id)
        .orderBy('seq')
        .execute();
      // A gap cannot come to be while parts are written one after the other; what followed one would not be continued.
      const gap = rows.findIndex(({ seq }, i) => seq !== i);
      return gap === -1 ? rows : rows.slice(0, gap);
    },

    async keep({ id, attempt }, { seq, first, count, summary }, bytes) {
      const { rows } = await sql`
        with run as (
          update tasks set deaths = 0, process_crashes = 0, working_on = null
          where id = ${id} and attempt = ${attempt} and lease_owner = ${owner} and status = 'processing'
          returning id)
        insert into collection_parts (collection_id, run, seq, first_number, count, summary, bytes)
        select collections.id, run.id, ${seq}::int, ${first}::int, ${count}::int, ${JSON.stringify(summary)}::json,
          ${bytes}::bytea
        from run join collections on collections.task_id = run.id
        on conflict (run, seq) do update set first_number = excluded.first_number, count = excluded.count,
          summary = excluded.summary, bytes = excluded.bytes
        returning seq`.execute(db);
      return rows.length > 0;
    },

    async crashes({ id }) {
      const row = await db
        .selectFrom('tasks')
        .select(['deaths', 'suspect', 'suspect_crashes'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const { deaths, suspect, suspect_crashes: crashes } = row;
      return { count: deaths, suspect: suspect === null ? null : { item: suspect, crashes } };
    },

    async begin({ id, attempt }, item) {
      const row = await db
        .updateTable('tasks')
        .set({ working_on: item })
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .where('lease_owner', '=', owner)
        .where('status', '=', 'processing')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async read({ id }, seq) {
      const row = await db
        .selectFrom('collection_parts')
        .select('bytes')
        .where('run', '=', id)
        .where('seq', '=', seq)
        .executeTakeFirst();
      return row?.bytes ?? null;
    },
  };
}
