import { randomUUID } from 'node:crypto';
import { every } from '../../every.ts';
import type { SqlPool } from '../sql-pool.ts';

/** Keys of `object_sweep` that name no object: while one of them is not due, nothing is swept. */
export const HOLD_PREFIX = 'hold/';
/** A hold whose holder ends without a word is over after so long. */
const HOLD_MINUTES = 30;
const RENEWED_EVERY_MS = 600_000;

/**
 * Keeps every process on the database from removing objects, until it is disposed of: rows that are read as of one moment name
 * objects which others may give up meanwhile.
 */
export async function holdSweep(pool: SqlPool): Promise<AsyncDisposable> {
  const key = `${HOLD_PREFIX}${randomUUID()}`;
  const renew = (): Promise<void> =>
    run(
      pool,
      `insert into object_sweep (key, due_at) values ($1, now() + make_interval(mins => ${HOLD_MINUTES}))
        on conflict (key) do update set due_at = excluded.due_at`,
      key,
    );
  await renew();
  // A renewal that fails is followed by others before the hold ends.
  const stopRenewing = every(RENEWED_EVERY_MS, () => void renew().catch(() => {}));
  return {
    async [Symbol.asyncDispose]() {
      stopRenewing();
      await run(pool, 'delete from object_sweep where key = $1', key).catch(() => {});
    },
  };
}

async function run(pool: SqlPool, text: string, key: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(text, [key]);
  } finally {
    client.release();
  }
}
