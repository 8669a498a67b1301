import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clusterKey } from '../src/db/embedded/prepared-cluster.ts';

const MAKER = join(import.meta.dirname, '../src/db/make-first-database.main.ts');
/** A database nobody has used yet, with all of its tables. Making one takes seconds of processor time, so tests that are not about that copy it. */
const FIRST = join(tmpdir(), `firstmile-test-database-${clusterKey().slice(0, 16)}`);

/** Puts an unused embedded database, whose tables are made, into a data folder that has none. */
export async function copyFirstDatabase(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'database'))) return;
  if (!existsSync(FIRST)) await makeFirst();
  await cp(join(FIRST, 'database'), join(dataDir, 'database'), { recursive: true, preserveTimestamps: true });
}

/** Test files that run at the same time may all make it; the first to finish wins. */
async function makeFirst(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-test-initialising-'));
  try {
    await promisify(execFile)(process.execPath, [MAKER, folder]);
    await rename(folder, FIRST);
  } catch (error) {
    if (!existsSync(FIRST)) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
