import { mkdir, open, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A lock that was not touched for so long belongs to nobody any more. */
const STALE_MS = 15_000;
const TOUCH_MS = 3_000;
const POLL_MS = 250;

/**
 * Runs `make` in one process or thread at a time for a lock file; the others wait and are asked between waits whether
 * what it makes is there already (`isMade`). The lock saves work and nothing else depends on it: one whose holder died is
 * taken over, and where none can be made `make` runs at once.
 */
export async function makeOnce(
  path: string,
  signal: AbortSignal,
  isMade: () => Promise<boolean>,
  make: () => Promise<void>,
): Promise<void> {
  while (!(await takeLock(path))) {
    await sleep(POLL_MS, undefined, { signal });
    if (await isMade()) return;
    if (await isStale(path)) await rm(path, { force: true });
  }
  const touching = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), TOUCH_MS);
  try {
    await make();
  } finally {
    clearInterval(touching);
    await rm(path, { force: true }).catch(() => {});
  }
}

/** False when another one holds it. */
async function takeLock(path: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > STALE_MS;
}
