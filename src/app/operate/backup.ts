import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { openEmbedded } from '../../db/embedded/open-embedded.ts';
import { PREPARED_CLUSTER } from '../../db/embedded/prepared-cluster.ts';
import { openPostgres } from '../../db/postgres/open-postgres.ts';
import type { SqlPool } from '../../db/sql-pool.ts';
import { MIGRATIONS } from '../../db/migrations/migrations.ts';
import type { Log } from '../../log.ts';
import type { Manifest } from '../../service/backup/archive.ts';
import { DATA_FILES, DATA_FOLDERS, KEY_FILE } from '../../service/backup/data-files.ts';
import { makeBackup } from '../../service/backup/make-backup.ts';
import { openBackup, restoreFiles, restoreTables } from '../../service/backup/restore-backup.ts';
import { connectRunning } from '../control.ts';

const RESTORING = 'restore.unfinished';

interface BackupWishes {
  readonly path: string;
  readonly withKey: boolean;
  readonly withData: boolean;
  readonly log: Log;
}

/** Writes a backup of the configured database and data folder, whether or not a service is running on them. */
export async function backUp(config: Config, { path, withKey, withData, log }: BackupWishes): Promise<Manifest> {
  if (existsSync(path)) throw new Error(`${path} is there already; wanted a new name`);
  const { dataDir, databaseUrl } = config;
  const wishes = { path, dataDir, withKey, withData };
  if (databaseUrl !== null) {
    const pool = await openPostgres({ url: databaseUrl, poolSize: 1, log });
    return await makeBackup({ ...wishes, pool, engine: 'postgres' }).finally(() => pool.end());
  }
  const running = await connectRunning(config);
  if (running === null && !existsSync(join(dataDir, 'database/PG_VERSION')))
    throw new Error(`there is no database in ${dataDir}`);
  const copy = running === null ? null : await running.snapshotDatabase();
  try {
    const pool = await openEmbedded(copy ?? dataDir, log, { acceptDamage: config.acceptDamagedDatabase });
    return await makeBackup({ ...wishes, pool, engine: 'embedded' }).finally(() => pool.end());
  } finally {
    if (copy !== null) await rm(copy, { recursive: true, force: true });
  }
}

/** Reads all of a backup; throws a sentence where it cannot be restored by this release. */
export async function checkBackup(path: string): Promise<Manifest> {
  await using archive = await openBackup(path);
  return archive.manifest;
}

interface Restored {
  readonly manifest: Manifest;
  readonly rows: number;
  readonly files: number;
}

/**
 * Restores a backup into an empty data folder and, where one is configured, an empty database of a server. Nothing is
 * changed before all of the backup was read. The embedded database takes its place as the last step.
 */
export async function restore(config: Config, path: string, log: Log): Promise<Restored> {
  await using archive = await openBackup(path);
  const { dataDir, databaseUrl } = config;
  prepareDataFolder(config);
  const taken = [...DATA_FOLDERS, ...DATA_FILES, KEY_FILE, ...(databaseUrl === null ? ['database'] : [])];
  const there = await Promise.all(taken.map(async (name) => ((await isEmpty(join(dataDir, name))) ? [] : [name])));
  if (there.flat().length > 0)
    throw new Error(
      `the data folder ${dataDir} is in use: it has ${there.flat().join(', ')}; wanted one without. Give another with DATA_DIR, or move those away`,
    );
  const staging = join(dataDir, RESTORING);
  await rm(staging, { recursive: true, force: true });
  const files = await restoreFiles(archive, staging);
  const pool = await openEmpty(config, staging, archive.manifest, log);
  const rows = await restoreTables(archive, pool).finally(() => pool.end());
  const names = new Set(files.map((file) => file.split(/[\\/]/)[0]));
  for (const name of [...names, ...(databaseUrl === null ? ['database'] : [])]) {
    await rm(join(dataDir, name), { recursive: true, force: true });
    await rename(join(staging, name), join(dataDir, name));
  }
  await rm(staging, { recursive: true, force: true });
  return { manifest: archive.manifest, rows, files: files.length };
}

/** A database to restore into; the prepared one has the tables of this release, so an older backup gets a bare one. */
function openEmpty(config: Config, staging: string, { database }: Manifest, log: Log): Promise<SqlPool> {
  const { databaseUrl } = config;
  if (databaseUrl !== null) return openPostgres({ url: databaseUrl, poolSize: 2, log });
  const isNewest = database.version === MIGRATIONS.at(-1)?.version;
  return openEmbedded(staging, log, { prepared: isNewest ? PREPARED_CLUSTER : null });
}

async function isEmpty(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => null);
  return about === null || (about.isDirectory() && (await readdir(path)).length === 0);
}
