import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { temporaryFolder } from '../files/temporary-folder.ts';

/** Takes the input of a task to disk, because most formats are not read front to back. The file goes when it is disposed of. */
export async function spoolInput(
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await temporaryFolder('task');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'input');
    await pipeline(Readable.from(input), createWriteStream(path, { mode: 0o600 }), { signal });
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
