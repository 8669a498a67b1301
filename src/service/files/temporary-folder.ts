import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../../durations.ts';

/** The machine and the process that a file in flight belongs to, as its name holds them: `1a2b3c4d-4711`. */
export const OWNER = `${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-${process.pid}`;
const ORPHAN_AGE_MS = DAY_MS;
const FOLDER = /^firstmile-[a-z]+-([0-9a-f]{8}-\d+)-\w+$/;

/**
 * A new folder in the system's temporary folder, for files of customers among others. Whoever made it removes it; what a
 * killed process left is removed by `removeAbandonedFolders` of the next.
 */
export function temporaryFolder(purpose: 'task' | 'export' | 'input' | 'model' | 'register' | 'map'): Promise<string> {
  return mkdtemp(join(tmpdir(), `firstmile-${purpose}-${OWNER}-`));
}

/** Removes the temporary folders of processes that died, and returns how many. */
export async function removeAbandonedFolders(parent = tmpdir()): Promise<number> {
  let removed = 0;
  for (const name of await readdir(parent).catch(() => [])) {
    const owner = FOLDER.exec(name)?.[1];
    const path = join(parent, name);
    if (owner === undefined || !(await isAbandoned(path, owner))) continue;
    // A folder of another user cannot be removed, and is not ours to remove.
    const gone = await rm(path, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (gone) removed++;
  }
  return removed;
}

/**
 * Whether a file or folder was left by a process that died: one of this machine that is gone, or of any machine when it is
 * older than a day. `owner` is what `OWNER` was for it.
 */
export async function isAbandoned(path: string, owner: string): Promise<boolean> {
  const written = await stat(path).catch(() => null);
  if (written === null) return false;
  if (Date.now() - written.mtimeMs > ORPHAN_AGE_MS) return true;
  const [host, pid] = owner.split('-');
  if (host !== OWNER.split('-')[0]) return false;
  // In a container every run has the same process number, so our own counts as dead when the file is older than we are.
  return Number(pid) === process.pid ? written.mtimeMs < performance.timeOrigin : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
