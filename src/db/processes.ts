import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';

/** A process on the database, as it says of itself. */
interface ProcessRow {
  readonly id: string;
  /** For people: what it is and where, such as `serve on host-a (process 123)`. */
  readonly name: string;
  readonly settings: unknown;
}

/** Another process that was seen within the last seconds. `beats` grows while it lives. */
export interface SeenProcess extends ProcessRow {
  readonly beats: number;
}

/** Seconds without a beat after which a process is taken for gone. */
export const GONE_AFTER_S = 15;

/** The processes that are at work on the database, each with what it says of itself. */
export interface ProcessTable {
  /** Notes this process unless `refuse` throws, which gets the others; one process at a time. */
  join(own: ProcessRow, refuse: (others: readonly SeenProcess[]) => void): Promise<void>;
  /** Says that this process is still there, with what it says of itself now. The others. */
  beat(own: ProcessRow): Promise<readonly SeenProcess[]>;
  leave(id: string): Promise<void>;
}

export function openProcessTable(db: Kysely<Database>): ProcessTable {
  return {
    join: (own, refuse) =>
      db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtext('firstmile processes'))`.execute(trx);
        refuse(await othersThan(own.id, trx));
        await note(own, trx);
      }),
    async beat(own) {
      await note(own, db);
      return await othersThan(own.id, db);
    },
    async leave(id) {
      await sql`delete from processes where id = ${id}`.execute(db);
    },
  };
}

async function othersThan(id: string, db: Kysely<Database>): Promise<readonly SeenProcess[]> {
  const { rows } = await sql<SeenProcess>`
    select id, name, settings, beats from processes
    where id <> ${id} and seen_at > clock_timestamp() - ${sql.lit(GONE_AFTER_S)} * interval '1 second'
    order by name, id`.execute(db);
  return rows;
}

/** The table is not logged: a crash of the database empties it, and each process comes back with its next beat. */
async function note({ id, name, settings }: ProcessRow, db: Kysely<Database>): Promise<void> {
  await sql`
    insert into processes as p (id, name, settings) values (${id}, ${name}, ${JSON.stringify(settings)}::json)
    on conflict (id) do update set settings = excluded.settings, seen_at = clock_timestamp(), beats = p.beats + 1`.execute(
    db,
  );
  await sql`delete from processes where seen_at < clock_timestamp() - interval '1 day'`.execute(db);
}
