import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';

/** Counts after which a process removes rows whose windows are over. */
const SWEEP_EVERY = 10_000;

interface Window {
  readonly quota: number;
  readonly seconds: number;
}

/** Where a key stands after a request: for each window what is used of it, and the seconds until it ends. */
interface SharedCount {
  readonly allowed: boolean;
  readonly counts: readonly { readonly used: number; readonly leftS: number }[];
}

interface CountRow {
  readonly used_1: number;
  readonly left_1: number;
  readonly used_2: number;
  readonly left_2: number;
  readonly allowed: boolean;
}

/**
 * Counts requests where every process on the database sees them, in one or two fixed windows that begin with the first request.
 * One statement, by the clock of the database: a request is counted in both windows, or in none where one is full.
 */
export function openRateCounts(db: Kysely<Database>): {
  take(key: string, windows: readonly Window[]): Promise<SharedCount>;
} {
  let taken = 0;
  return {
    async take(key, windows) {
      const [first, second = first] = windows;
      const over1 = sql`c.ends_1 <= now()`;
      const over2 = sql`c.ends_2 <= now()`;
      const allowed = sql`((${over1} or c.used_1 < ${first.quota}) and (${over2} or c.used_2 < ${second.quota}))`;
      const { rows } = await sql<CountRow>`
        insert into rate_counts as c values (
          ${key}, 1, now() + ${first.seconds} * interval '1 second', 1, now() + ${second.seconds} * interval '1 second', true)
        on conflict (key) do update set
          allowed = ${allowed},
          used_1 = case when ${over1} then 0 else c.used_1 end + ${allowed}::int,
          ends_1 = case when ${over1} then excluded.ends_1 else c.ends_1 end,
          used_2 = case when ${over2} then 0 else c.used_2 end + ${allowed}::int,
          ends_2 = case when ${over2} then excluded.ends_2 else c.ends_2 end
        returning allowed,
          used_1, extract(epoch from ends_1 - now())::float8 as left_1,
          used_2, extract(epoch from ends_2 - now())::float8 as left_2`.execute(db);
      if (++taken % SWEEP_EVERY === 0) await sweep(db);
      const [row] = rows;
      const counts = [
        { used: row.used_1, leftS: row.left_1 },
        { used: row.used_2, leftS: row.left_2 },
      ];
      return { allowed: row.allowed, counts: counts.slice(0, windows.length) };
    },
  };
}

async function sweep(db: Kysely<Database>): Promise<void> {
  await sql`delete from rate_counts where greatest(ends_1, ends_2) <= now()`.execute(db);
}
