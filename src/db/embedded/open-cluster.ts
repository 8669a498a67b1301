import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../log.ts';
import { checkPages, type PageCheck } from './check-pages.ts';
import { checkWal, type WalCheck } from './check-wal.ts';
import type { EngineClient } from './engine-client.ts';

/** Rows that were committed are gone or cannot be read: the files of the database were changed by something else than it. */
export class DatabaseDamagedError extends Error {
  override readonly name = 'DatabaseDamagedError';

  constructor(what: string) {
    super(
      `${what}; rows that were committed may be missing or unreadable. Check the disk and restore a backup of the data ` +
        'folder. To go on with what is readable, start once with ACCEPT_DAMAGED_DATABASE=on',
    );
  }
}

interface OpenClusterOptions {
  readonly log: Log;
  /** Opens it although it is damaged, and says so in the log. */
  readonly acceptDamage: boolean;
}

/**
 * Opens a cluster with an engine, replays what a crash left in its log, and checks that nothing is damaged: the log before
 * it is replayed, then every page. Returns the engine, or ends it and throws, `DatabaseDamagedError` where damage was found.
 */
export async function openCluster(
  engine: EngineClient,
  cluster: string,
  { log, acceptDamage }: OpenClusterOptions,
): Promise<EngineClient> {
  const report = async (damage: string): Promise<void> => {
    if (!acceptDamage) throw new DatabaseDamagedError(damage);
    log.error({ cluster, damage }, 'the database is damaged and is still opened');
  };
  try {
    const wal = await checkWal(cluster);
    if (wal !== null && wal.damagedAt !== null) {
      await report(`the write-ahead log of ${cluster} is damaged at ${lsn(wal.damagedAt)}`);
      await keepLog(cluster, log);
    }
    // The folder is locked for this process. The lock file of an engine that was killed has no say, and where it was killed before it
    // had written into it, PostgreSQL would refuse to start at all.
    await rm(join(cluster, 'postmaster.pid'), { force: true });
    await engine.open(cluster);
    const damage = await damageAfterRecovery(engine, cluster, wal);
    if (damage !== null) await report(damage);
    return engine;
  } catch (error) {
    await engine.end();
    throw error;
  }
}

/** Recovery writes over the log; what it could not read is kept for whoever may still read it. */
async function keepLog(cluster: string, log: Log): Promise<void> {
  const copy = `${cluster}.damaged-log-${Date.now()}`;
  await cp(join(cluster, 'pg_wal'), copy, { recursive: true });
  log.error({ copy }, 'the damaged write-ahead log was copied');
}

async function damageAfterRecovery(
  engine: EngineClient,
  cluster: string,
  wal: WalCheck | null,
): Promise<string | null> {
  const client = await engine.connect();
  try {
    if (wal !== null) {
      const { rows } = await client.query(
        `select pg_wal_lsn_diff(redo_lsn, '0/0')::float8 as redo from pg_control_checkpoint()`,
      );
      const { redo } = rows[0] as { redo: number };
      // Recovery ends with a checkpoint at the end of what it could read.
      if (redo < wal.end) return `the write-ahead log of ${cluster} was read up to ${lsn(redo)} of ${lsn(wal.end)}`;
      await client.query('checkpoint');
    }
    const pages = await checkPages(cluster);
    return pages.damaged === 0 ? null : await describePages(pages, cluster, client);
  } finally {
    client.release();
  }
}

async function describePages(
  { pages, damaged, named }: PageCheck,
  cluster: string,
  client: Awaited<ReturnType<EngineClient['connect']>>,
): Promise<string> {
  const names = new Map<string, string>();
  try {
    const { rows } = await client.query(
      `select oid::regclass::text as name, pg_relation_filepath(oid) as file from pg_class where pg_relation_filepath(oid) is not null`,
    );
    for (const { name, file } of rows as { name: string; file: string }[]) names.set(file, name);
  } catch {
    // The catalogue itself is damaged: files are named by their numbers.
  }
  const places = named.map(
    ({ file, page }) => `page ${page} of ${names.get(file.replace(/_(fsm|vm|init)$/, '')) ?? file}`,
  );
  const more = damaged > named.length ? ` and ${damaged - named.length} more` : '';
  return `${damaged} of ${pages} pages of ${cluster} are damaged (${places.join(', ')}${more})`;
}

/** A place in the log as PostgreSQL writes it, such as `0/1A2B3C`. */
function lsn(place: number): string {
  return `${Math.floor(place / 2 ** 32).toString(16)}/${(place % 2 ** 32).toString(16)}`.toUpperCase();
}
