import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { Store } from '../../db/open-store.ts';
import { DAY_MS } from '../../durations.ts';

/** What a backup needs of the service that holds the embedded database open. */
export interface BackupAdmin {
  /** Copies the database, as of one moment, into a new data folder within this one; whoever called removes it. */
  snapshotDatabase(): Promise<string>;
}

const SNAPSHOT = 'backup.unfinished-';

/** Copies while no statement runs: the engine has one session, and its files are complete after a checkpoint. */
export function createBackupAdmin(store: Store, { dataDir }: Pick<Config, 'dataDir'>): BackupAdmin {
  return {
    async snapshotDatabase() {
      await removeOldSnapshots(dataDir);
      const folder = join(dataDir, `${SNAPSHOT}${randomUUID()}`);
      await mkdir(folder, { mode: 0o700 });
      const client = await store.pool.connect();
      try {
        await client.query('checkpoint');
        const mode = constants.COPYFILE_FICLONE;
        await cp(join(dataDir, 'database'), join(folder, 'database'), { recursive: true, mode });
        return folder;
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

/** Those that a command left which was killed. */
async function removeOldSnapshots(dataDir: string): Promise<void> {
  for (const name of (await readdir(dataDir)).filter((one) => one.startsWith(SNAPSHOT))) {
    const path = join(dataDir, name);
    const about = await stat(path).catch(() => null);
    if (about !== null && Date.now() - about.mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  }
}
