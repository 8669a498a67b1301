import { Problem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { SqlClient, SqlPool } from '../sql-pool.ts';

interface MaintenanceOptions {
  readonly log: Log;
  /** Milliseconds between looks at the write-ahead log. Default 2,000. */
  readonly checkpointEveryMs?: number;
  /** Milliseconds between looks for dead rows. Default 300,000. */
  readonly vacuumEveryMs?: number;
}

/** Bytes written to the log after which a checkpoint lets its files be used again; bounds the next start after a crash. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;
const MIN_DEAD_ROWS = 500;

/**
 * Does what the background processes of a PostgreSQL server do and the embedded engine leaves out: checkpoints, without
 * which the write-ahead log grows until the process ends, and vacuuming. Returns the function that stops it.
 */
export function maintainEmbedded(pool: SqlPool, options: MaintenanceOptions): () => void {
  const { log, checkpointEveryMs = 2_000, vacuumEveryMs = 300_000 } = options;
  let checkpointed: string | null = null;
  const timers = [
    every(checkpointEveryMs, async (client) => {
      checkpointed = await checkpointWhenDue(client, checkpointed);
    }),
    every(vacuumEveryMs, async (client) => {
      const tables = await vacuumWhereDue(client);
      if (tables.length > 0) log.debug({ tables }, 'embedded database vacuumed');
    }),
  ];

  function every(ms: number, work: (client: SqlClient) => Promise<void>): NodeJS.Timeout {
    let busy = false;
    const timer = setInterval(async () => {
      if (busy) return;
      busy = true;
      await withClient(pool, work).catch((error: unknown) => {
        // A closed database has been reported by whoever opens it again.
        if (!(error instanceof Problem)) log.warn({ err: error }, 'database maintenance failed');
      });
      busy = false;
    }, ms);
    return timer.unref();
  }

  return () => timers.forEach((timer) => clearInterval(timer));
}

/** The place in the write-ahead log up to which everything is in the tables' files; null when that is not known yet. */
async function checkpointWhenDue(client: SqlClient, since: string | null): Promise<string> {
  const { rows } = await client.query(
    `select pg_current_wal_insert_lsn()::text as here,
            pg_wal_lsn_diff(pg_current_wal_insert_lsn(), coalesce($1::pg_lsn, redo_lsn)) > $2::int8 as due,
            redo_lsn::text as done
     from pg_control_checkpoint()`,
    [since, CHECKPOINT_BYTES],
  );
  const { here, due, done } = rows[0] as { here: string; due: boolean; done: string };
  if (!due) return since ?? done;
  await client.query('checkpoint');
  return here;
}

/** Vacuums the tables where a tenth of the rows, and not just a few, are dead; returns their names. */
export async function vacuumWhereDue(client: SqlClient): Promise<readonly string[]> {
  const { rows } = await client.query(
    `select quote_ident(schemaname) || '.' || quote_ident(relname) as name
     from pg_stat_user_tables
     where n_dead_tup > $1 and n_dead_tup > n_live_tup / 10`,
    [MIN_DEAD_ROWS],
  );
  const names = rows.map((row) => (row as { name: string }).name);
  for (const name of names) await client.query(`vacuum (analyze) ${name}`);
  return names;
}

async function withClient(pool: SqlPool, work: (client: SqlClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await work(client);
  } finally {
    client.release();
  }
}
