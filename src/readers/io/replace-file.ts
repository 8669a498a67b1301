import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a small file of the data folder so that readers of any process see the old text or the new one, whole. Its folder is
 * made where it is missing; both are for this user alone. Of two who write at the same time the last one counts. A write that
 * fails leaves the old file, and nothing of the new one.
 *
 * Not flushed to the disk: what is kept this way can be found out again.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
