import { existsSync } from 'node:fs';
import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { lockFolder } from '../../db/embedded/lock-folder.ts';
import { openEmbedded, RESTORING } from '../../db/embedded/open-embedded.ts';
import { PREPARED_CLUSTER } from '../../db/embedded/prepared-cluster.ts';
import { giveBucket } from '../../db/object-store/claim-bucket.ts';
import { openPostgres } from '../../db/postgres/open-postgres.ts';
import type { SqlPool } from '../../db/sql-pool.ts';
import { MIGRATIONS } from '../../db/migrations/migrations.ts';
import { DAY_MS } from '../../durations.ts';
import type { Log } from '../../log.ts';
import type { Manifest, OnProgress } from '../../service/backup/archive.ts';
import { DATA_FILES, DATA_FOLDERS, KEY_FILE } from '../../service/backup/data-files.ts';
import { restoreIntoRows, restoreObjects } from '../../service/backup/bucket-objects.ts';
import { makeBackup } from '../../service/backup/make-backup.ts';
import { openBackup, restoreFiles, restoreTables } from '../../service/backup/restore-backup.ts';
import { thingsOf } from '../../service/shared-data/installed-things.ts';
import { openSharedData, type SharedData } from '../../service/shared-data/sync-data.ts';
import { connectRunning } from '../control.ts';

const UNHEARD: OnProgress = () => {};

interface BackupWishes {
  readonly path: string;
  readonly withKey: boolean;
  readonly withData: boolean;
  /** Whether the files in the bucket go into it, where there is one. */
  readonly withObjects: boolean;
  readonly log: Log;
  /** Default: nobody hears of it. */
  readonly onProgress?: OnProgress;
}

/** Writes a backup of the configured database and data folder, whether or not a service is running on them. */
export async function backUp(config: Config, options: BackupWishes): Promise<Manifest> {
  const { path, withKey, withData, withObjects, log, onProgress = UNHEARD } = options;
  if (existsSync(path)) throw new Error(`${path} is there already; wanted a new name`);
  const { dataDir, databaseUrl } = config;
  const wishes = { path, dataDir, withKey, withData, objects: null, onProgress };
  if (databaseUrl !== null) {
    await using shared = openSharedData(config);
    if (withData) await shared?.pull(AbortSignal.timeout(DAY_MS));
    const objects = withObjects ? (shared?.objects ?? null) : null;
    const pool = await openPostgres({ url: databaseUrl, poolSize: 2, log });
    return await makeBackup({ ...wishes, objects, pool, engine: 'postgres' }).finally(() => pool.end());
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
export async function checkBackup(path: string, onProgress: OnProgress = UNHEARD): Promise<Manifest> {
  await using archive = await openBackup(path, onProgress);
  return archive.manifest;
}

interface RestoreWishes {
  /** Whether the files that lay in a bucket are restored, where the backup has them. */
  readonly withObjects: boolean;
  readonly log: Log;
  /** Default: nobody hears of it. */
  readonly onProgress?: OnProgress;
}

interface Restored {
  readonly manifest: Manifest;
  readonly rows: number;
  readonly files: number;
  /** How many files of a bucket, and where they are now; null: none were restored. */
  readonly objects: { readonly count: number; readonly place: string } | null;
}

/**
 * Restores a backup into an empty data folder and, where one is configured, an empty database of a server. Nothing is
 * changed before all of the backup was read. Files that lay in a bucket go into the configured one, which has to be empty, and
 * into the database where none is. The embedded database takes its place as the last step.
 */
export async function restore(config: Config, path: string, wishes: RestoreWishes): Promise<Restored> {
  const { withObjects, log, onProgress = UNHEARD } = wishes;
  await using archive = await openBackup(path, onProgress);
  const { dataDir, databaseUrl } = config;
  prepareDataFolder(config);
  // A service that is started meanwhile, as by its supervisor, would make a database in the place of the restored one.
  using held = new DisposableStack();
  if (databaseUrl === null) held.adopt(lockFolder(dataDir), (lock) => lock.release());
  const taken = [...DATA_FOLDERS, ...DATA_FILES, KEY_FILE, ...(databaseUrl === null ? ['database'] : [])];
  const there = await Promise.all(taken.map(async (name) => ((await isEmpty(join(dataDir, name))) ? [] : [name])));
  if (there.flat().length > 0)
    throw new Error(
      `the data folder ${dataDir} is in use: it has ${there.flat().join(', ')}; wanted one without. Give another with DATA_DIR, or move those away`,
    );
  const staging = join(dataDir, RESTORING);
  await rm(staging, { recursive: true, force: true });
  const files = await restoreFiles(archive, staging);
  await using shared = openSharedData(config);
  const hasObjects = withObjects && archive.manifest.objects === 'included' && archive.manifest.bucket !== null;
  let objects: Restored['objects'] = null;
  const bucket = hasObjects ? shared : null;
  if (bucket !== null) objects = { count: await restoreObjects(archive, bucket.objects), place: bucket.place };
  const pool = await openEmpty(config, staging, archive.manifest, log);
  const rows = await restoreTables(archive, pool, async (db) => {
    if (bucket !== null) await giveBucket(db, bucket.objects);
    else if (hasObjects)
      objects = {
        count: await db.transaction().execute((trx) => restoreIntoRows(archive, trx)),
        place: 'the database',
      };
  }).finally(() => pool.end());
  const names = new Set(files.map((file) => file.split(/[\\/]/)[0]));
  for (const name of [...names, ...(databaseUrl === null ? ['database'] : [])]) {
    await removeEmpty(join(dataDir, name));
    await rename(join(staging, name), join(dataDir, name));
  }
  await rm(staging, { recursive: true, force: true });
  if (bucket !== null) await shareAll(config, bucket);
  return { manifest: archive.manifest, rows, files: files.length, objects };
}

/** What the other processes on the restored database need from its bucket. */
async function shareAll(config: Config, shared: SharedData): Promise<void> {
  const things = [...(await thingsOf(config)).values()].filter(({ isFetched }) => !isFetched);
  await shared.push(things, () => {}, AbortSignal.timeout(DAY_MS));
}

/** A database to restore into; the prepared one has the tables of this release, so an older backup gets a bare one. */
function openEmpty(config: Config, staging: string, { database }: Manifest, log: Log): Promise<SqlPool> {
  const { databaseUrl } = config;
  if (databaseUrl !== null) return openPostgres({ url: databaseUrl, poolSize: 2, log });
  const isNewest = database.version === MIGRATIONS.at(-1)?.version;
  return openEmbedded(staging, log, { prepared: isNewest ? PREPARED_CLUSTER : null });
}

/** A folder in which something was put since it was looked at stays, and ends the restore. */
async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    throw new Error(`${folder} came to be in use while the backup was restored (${error.code})`, { cause: error });
  });
}

async function isEmpty(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => null);
  return about === null || (about.isDirectory() && (await readdir(path)).length === 0);
}
