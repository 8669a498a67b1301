import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../log.ts';
import type { SqlPool } from '../sql-pool.ts';
import { flushFolder, placePreparedCluster } from './prepared-cluster.ts';
import { type EngineClient, startEngine } from './engine-client.ts';
import { lockFolder } from './lock-folder.ts';
import { maintainEmbedded } from './maintain.ts';
import { DatabaseDamagedError, openCluster } from './open-cluster.ts';
import { reopeningPool } from './reopening-pool.ts';

const CLUSTER = 'database';
/** The code of initdb runs once: optimising it costs a third more processor time than it saves. */
const INITDB_FLAGS = ['--liftoff-only'];
const UNFINISHED = 'database.initialising-';
/** What a restore fills inside a data folder; it is gone when all of it has its place. */
export const RESTORING = 'restore.unfinished';

interface EmbeddedOptions {
  readonly acceptDamage?: boolean;
  /** File of a prepared cluster; null: none. */
  readonly prepared?: string | null;
}

/**
 * Opens the embedded database of `dataDir`, and makes it first when there is none. A new cluster is made next to its
 * place and renamed when it is whole and on the disk, so that a start killed at any moment leaves nothing half made.
 * A database whose files are damaged is not opened unless `acceptDamage` is true; one that crashes is opened again.
 * A new one is the `prepared` cluster of the installation, where there is one of this version: making one takes seconds.
 * Throws `FolderInUseError` when another process holds the folder.
 */
export async function openEmbedded(
  dataDir: string,
  log: Log,
  { acceptDamage = false, prepared = null }: EmbeddedOptions = {},
): Promise<SqlPool> {
  const lock = lockFolder(dataDir);
  // Compiling the engine takes as long as making a database: it begins before there is one.
  let onFirstCrash = (_error: Error): void => {};
  let first: EngineClient | null = startEngine((error) => onFirstCrash(error));
  const cluster = join(dataDir, CLUSTER);
  try {
    await clearUnfinished(dataDir);
    if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(dataDir, cluster, prepared);
    const open = (onCrash: (error: Error) => void): Promise<EngineClient> => {
      onFirstCrash = onCrash;
      const engine = first ?? startEngine(onCrash);
      first = null;
      return openCluster(engine, cluster, { log, acceptDamage });
    };
    const pool = await reopeningPool({ dataDir, log, open });
    const stopMaintenance = maintainEmbedded(pool, { log });
    const end = async (): Promise<void> => {
      stopMaintenance();
      await pool.end();
      lock.release();
    };
    return { connect: () => pool.connect(), end };
  } catch (error) {
    await first?.end();
    lock.release();
    const reason = (error as Error).message;
    throw new Error(`the embedded database in ${dataDir} cannot be opened: ${reason}${wayOut(error, cluster)}`, {
      cause: error,
    });
  }
}

/** What the operator can do about a database that does not open; empty where its error says so itself. */
function wayOut(error: unknown, cluster: string): string {
  if (error instanceof DatabaseDamagedError) return '';
  const { message } = error as Error;
  if (/ENOSPC|EDQUOT|no space left|quota exceeded/i.test(message))
    return '. Make room on the disk of that folder and start again: nothing that was committed is lost';
  if (/EACCES|EPERM|EROFS|permission denied|not permitted|read-only/i.test(message))
    return `. The user that this process runs as has to own ${cluster} with all that is in it, and be able to write it`;
  if (!existsSync(cluster)) return '';
  return `. Files in ${cluster} are missing, damaged or of something else: check the disk, and restore a backup into a new folder (firstmile restore)`;
}

/** What remains of starts that were killed. One that cannot be cleared stays until a later start. */
async function clearUnfinished(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.allSettled(names.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
}

async function initialise(dataDir: string, cluster: string, prepared: string | null): Promise<void> {
  if (existsSync(join(dataDir, RESTORING)))
    throw new Error(
      `a restore into this folder was broken off: run firstmile restore again, or remove ${join(dataDir, RESTORING)} to begin with an empty database`,
    );
  // A name of its own: the process of a start killed a moment ago may still be writing into the folder it was given.
  const unfinished = join(dataDir, `${UNFINISHED}${process.pid}-${Date.now()}`);
  if (prepared === null || !(await placePreparedCluster(prepared, unfinished))) await makeCluster(unfinished);
  await rename(unfinished, cluster);
  await flushFolder(dataDir);
}

function makeCluster(folder: string): Promise<void> {
  const script = fileURLToPath(new URL('./initialise.ts', import.meta.url));
  const child = spawn(process.execPath, [...INITDB_FLAGS, script, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { UV_THREADPOOL_SIZE: '16' },
  });
  const messages: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => messages.push(text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve();
      reject(new Error(`making the database ended with ${signal ?? `code ${code}`}: ${messages.join('').trim()}`));
    });
  });
}
