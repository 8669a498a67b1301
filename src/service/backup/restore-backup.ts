import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import {
  advanceCounters,
  type BackupTable,
  hasRowsAtFirst,
  listTables,
  loadTable,
} from '../../db/backup/backup-tables.ts';
import type { Database } from '../../db/database.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/migrations/migrations.ts';
import { asKyselyPool, type SqlPool } from '../../db/sql-pool.ts';
import { type Manifest, type OnProgress, type OpenedArchive, openArchive } from './archive.ts';
import { keyOfPart } from './bucket-objects.ts';
import { placeOfPart } from './data-files.ts';

const TABLE = /^tables\/(\w+)\.jsonl$/;

/** Opens a backup, reads all of it, and finds out that this release can restore it. Throws a sentence where one of that fails. */
export async function openBackup(path: string, onProgress: OnProgress): Promise<OpenedArchive> {
  const archive = await openArchive(path, onProgress);
  try {
    const { database, firstmile, parts } = archive.manifest;
    const newest = MIGRATIONS.at(-1)?.version ?? 0;
    if (database.version > newest)
      throw new Error(
        `${path} was written by firstmile ${firstmile} with database version ${database.version}, and this release knows versions up to ${newest}: restore it with that release or a later one`,
      );
    const stray = parts.find(({ name }) => !TABLE.test(name) && placeOfPart(name) === null && keyOfPart(name) === null);
    if (stray !== undefined) throw new Error(`${path} holds ${stray.name}, which no backup has`);
    await archive.verify();
    return archive;
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Makes the tables as they were when the backup was written, fills them in one transaction, brings them to the version of this
 * release, and calls `finish`. Returns the number of rows.
 * @throws Error where a table holds rows already.
 */
export async function restoreTables(
  { manifest, read }: OpenedArchive,
  pool: SqlPool,
  finish: (db: Kysely<Database>) => Promise<void>,
): Promise<number> {
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool: asKyselyPool(pool) }) });
  await migrate(
    db,
    MIGRATIONS.filter(({ version }) => version <= manifest.database.version),
  );
  const client = await pool.connect();
  let tables: readonly BackupTable[];
  try {
    tables = await listTables(client);
    for (const { name } of tables.filter((table) => !hasRowsAtFirst(table.name))) {
      const { rows } = await client.query(`select 1 from "${name}" limit 1`);
      if (rows.length > 0) throw new Error(`the database is in use: its table ${name} has rows; wanted an empty one`);
    }
  } finally {
    client.release();
  }
  const parts = tablesOf(manifest);
  const unknown = [...parts.keys()].filter((name) => !tables.some((table) => table.name === name));
  if (unknown.length > 0) throw new Error(`the backup has the table ${unknown[0]}, which this release has not`);
  let count = 0;
  await db.transaction().execute(async (trx) => {
    for (const table of tables) {
      const part = parts.get(table.name);
      if (part !== undefined) count += await loadTable(trx as Transaction<never>, table, linesOf(read(part)));
      await advanceCounters(trx as Transaction<never>, table);
    }
  });
  await migrate(db);
  await finish(db as unknown as Kysely<Database>);
  return count;
}

/** Writes the files of a backup below a folder, which has none of them, for its owner alone; returns their paths in it. */
export async function restoreFiles({ manifest, read }: OpenedArchive, folder: string): Promise<readonly string[]> {
  const written: string[] = [];
  for (const { name } of manifest.parts) {
    const place = placeOfPart(name);
    if (place === null) continue;
    await mkdir(dirname(join(folder, place)), { recursive: true, mode: 0o700 });
    const out = createWriteStream(join(folder, place), { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(read(name)), out);
    written.push(place);
  }
  return written;
}

function tablesOf({ parts }: Manifest): ReadonlyMap<string, string> {
  return new Map(parts.flatMap(({ name }) => (TABLE.test(name) ? [[TABLE.exec(name)![1], name] as const] : [])));
}

/** Lines of UTF-8, which may be cut anywhere; no line holds a line break. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
