import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool } from '../../collections/due-diligence/spool.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';

/** Characters that are gathered before they go to disk. */
const GATHERED = 65_536;

/** Text on disk until it is disposed of, readable by nobody else. */
export async function openDiskSpool(): Promise<Spool> {
  const folder = await temporaryFolder('export');
  const path = join(folder, 'spool');
  const file = await open(path, 'wx', 0o600);
  let waiting = '';
  const flush = async (): Promise<void> => {
    await file.appendFile(waiting);
    waiting = '';
  };
  return {
    async write(text) {
      waiting += text;
      if (waiting.length >= GATHERED) await flush();
    },
    async *read() {
      await flush();
      for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
