import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const MAKER = join(import.meta.dirname, 'make-first-database.fixture.ts');
/** A database nobody has used yet, with all of its tables. Making one takes seconds of processor time, so tests that are not about that copy it. */
const FIRST = join(tmpdir(), `firstmile-test-database-${version()}`);

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

/** Of all that decides what is in an unused database: the engine, the queue and our own tables. */
function version(): string {
  const hash = createHash('sha256');
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of ['@electric-sql/pglite', 'pg-boss']) hash.update(`${name} ${manifest.dependencies[name]}\n`);
  const files = globSync(['src/db/embedded/*.ts', 'src/db/migrations/*.ts', 'src/db/tasks/tickets.ts'], { cwd: ROOT });
  for (const file of files.toSorted()) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}
