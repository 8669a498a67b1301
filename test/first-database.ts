import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INITIALISE = join(import.meta.dirname, '../src/db/embedded/initialise.ts');
const ENGINE = '@electric-sql/pglite';
const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
const version = (JSON.parse(manifest) as { dependencies: Record<string, string> }).dependencies[ENGINE];
/** A database nobody has used yet. Making one takes seconds of processor time, so tests that are not about that copy it. */
const FIRST = join(tmpdir(), `firstmile-test-database-${version}`);

/** Puts an unused embedded database into a data folder that has none. */
export async function copyFirstDatabase(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'database'))) return;
  if (!existsSync(FIRST)) await makeFirst();
  await cp(FIRST, join(dataDir, 'database'), { recursive: true, preserveTimestamps: true });
}

/** Test files that run at the same time may all make it; the first to finish wins. */
async function makeFirst(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-test-initialising-'));
  try {
    const made = join(folder, 'database');
    await promisify(execFile)(process.execPath, ['--liftoff-only', INITIALISE, made]);
    await rename(made, FIRST).catch((error: unknown) => {
      if (!existsSync(FIRST)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
