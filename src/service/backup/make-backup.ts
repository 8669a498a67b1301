import { rm } from 'node:fs/promises';
import { bucketOfRows, dumpTable, listTables, objectsOfRows, tablesVersion } from '../../db/backup/backup-tables.ts';
import { MIGRATIONS } from '../../db/migrations/migrations.ts';
import { holdSweep } from '../../db/object-store/hold-sweep.ts';
import type { ObjectStore } from '../../db/object-store/object-store.ts';
import type { SqlClient, SqlPool } from '../../db/sql-pool.ts';
import { packageVersion } from '../../config/package-version.ts';
import { openArchive, writeArchive, type Manifest, type OnProgress, type Part } from './archive.ts';
import { objectParts } from './bucket-objects.ts';
import { dataFiles } from './data-files.ts';

interface BackupOptions {
  /** Where the archive goes; nothing may be there. */
  readonly path: string;
  readonly pool: SqlPool;
  readonly engine: Manifest['database']['engine'];
  readonly dataDir: string;
  /** Whether the key that secrets are sealed with goes into it. */
  readonly withKey: boolean;
  /** Whether the files of the data folder go into it. */
  readonly withData: boolean;
  /** The bucket whose files go into it; null: none do. */
  readonly objects: ObjectStore | null;
  readonly onProgress: OnProgress;
}

/**
 * Copies every row as of one moment, and then the files of the data folder, into an archive, and reads it back to compare
 * checksums. Others may go on reading and writing the database of `pool` meanwhile, where it has more than one session.
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { path, pool, engine, dataDir, objects, onProgress } = options;
  await using _held = objects === null ? null : await holdSweep(pool);
  const client = await pool.connect();
  let isWhole = false;
  try {
    await client.query('begin isolation level repeatable read read only');
    const version = await tablesVersion(client);
    const newest = MIGRATIONS.at(-1)?.version ?? 0;
    if (version !== newest)
      throw new Error(
        `the database is at version ${version} and this firstmile has version ${newest}: make the backup with the release that the service runs`,
      );
    const tables = await listTables(client);
    const files =
      objects === null ? { parts: [], missing: [] } : await objectParts(objects, await objectsOfRows(client));
    const manifest = await writeArchive(
      path,
      [...tables.map((table) => tablePart(client, table)), ...(await dataFiles(dataDir, options)), ...files.parts],
      {
        firstmile: packageVersion(),
        madeAt: new Date().toISOString(),
        database: { engine, version },
        bucket: await bucketOfRows(client),
        objects: objects === null ? 'not included' : 'included',
        missingObjects: files.missing,
        sealingKey: options.withKey ? 'included' : 'not included',
      },
      onProgress,
    );
    await client.query('commit');
    isWhole = true;
    await readBack(path, onProgress);
    return manifest;
  } finally {
    client.release(!isWhole);
  }
}

/** An archive that the disk does not give back as it was written keeps no name that one would rely on. */
async function readBack(path: string, onProgress: OnProgress): Promise<void> {
  try {
    await using archive = await openArchive(path, onProgress);
    await archive.verify();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

function tablePart(client: SqlClient, table: Awaited<ReturnType<typeof listTables>>[number]): Part {
  return {
    name: `tables/${table.name}.jsonl`,
    async *read(rows) {
      rows(0);
      for await (const texts of dumpTable(client, table)) {
        rows(texts.length);
        yield Buffer.from(`${texts.join('\n')}\n`);
      }
    },
  };
}
