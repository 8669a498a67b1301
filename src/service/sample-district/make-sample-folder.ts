import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '../world/is-there.ts';

/**
 * Fills a folder unless it is there. Processes and threads that start at once may all fill one of their own; the first to finish wins, and
 * all make the same bytes. One that fails leaves nothing.
 */
export async function makeSampleFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  if (await isThere(folder)) return;
  const draft = join(dirname(folder), `.making-${randomUUID()}`);
  try {
    await mkdir(draft, { recursive: true });
    await fill(draft);
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
