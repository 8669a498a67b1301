import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

export interface UploadFolder {
  readonly path: string;
  /** A path in the folder that no file has yet, whose name says which process owns it. */
  newPath(): string;
}

const NAME = /^upload-([0-9a-f]{8})-(\d+)-[0-9a-f]{24}$/;
const ORPHAN_AGE_MS = 24 * 3_600_000;
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/**
 * Opens the folder for uploads in flight and removes what processes that died have left there: files of this machine
 * whose process is gone, and files of any machine older than a day. Those of living processes are left alone.
 */
export async function openUploadFolder(path: string): Promise<UploadFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const name of await readdir(path)) if (await isOrphan(path, name)) await rm(join(path, name), { force: true });
  return { path, newPath: () => join(path, `upload-${HOST}-${process.pid}-${randomBytes(12).toString('hex')}`) };
}

async function isOrphan(folder: string, name: string): Promise<boolean> {
  const match = NAME.exec(name);
  if (match === null) return false;
  const written = await stat(join(folder, name)).catch(() => null);
  if (written === null) return false;
  if (Date.now() - written.mtimeMs > ORPHAN_AGE_MS) return true;
  if (match[1] !== HOST) return false;
  // In a container every run has the same process number, so our own counts as dead when the file is older than we are.
  const pid = Number(match[2]);
  return pid === process.pid ? written.mtimeMs < performance.timeOrigin : !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
