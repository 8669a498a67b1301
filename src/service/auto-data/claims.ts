import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** How often who has a claim says that it is still at work, and after which silence another takes over. */
const BEAT_MS = 2_000;
const STALE_MS = 10_000;
const LOOK_MS = 100;

/**
 * Runs a job that all threads and processes of a folder run one at a time for a name. One who waited runs nothing when
 * `isDone` says that another has done it meanwhile; then null.
 */
export async function claiming<T>(
  folder: string,
  name: string,
  signal: AbortSignal,
  job: () => Promise<T>,
  isDone: () => Promise<boolean>,
): Promise<T | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.claim`);
  const mine = `${process.pid} ${randomUUID()}`;
  for (let isFirst = true; !(await take(path, mine)); isFirst = false) {
    await wait(isFirst ? LOOK_MS / 4 : LOOK_MS, undefined, { signal });
    await removeStale(path);
  }
  // A process that is gone beats no more.
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), BEAT_MS);
  beat.unref();
  try {
    return (await isDone()) ? null : await job();
  } finally {
    clearInterval(beat);
    if ((await readFile(path, 'utf8').catch(() => '')) === mine) await rm(path, { force: true });
  }
}

async function take(path: string, mine: string): Promise<boolean> {
  return writeFile(path, mine, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/** Takes away a claim that nobody holds any more. One that was renewed in the same moment is put back. */
async function removeStale(path: string): Promise<void> {
  const isStale = async (place: string): Promise<boolean> => {
    const found = await stat(place).catch(() => null);
    return found !== null && Date.now() - found.mtimeMs > STALE_MS;
  };
  if (!(await isStale(path))) return;
  const aside = `${path}-${randomUUID()}`;
  if (
    !(await rename(path, aside).then(
      () => true,
      () => false,
    ))
  )
    return;
  if (await isStale(aside)) await rm(aside, { force: true });
  else await rename(aside, path).catch(() => {});
}
