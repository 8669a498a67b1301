import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { batchedText } from '../../locations/formats/batched-text.ts';
import { UsageError, type CommandContext } from '../command.ts';

/** Makes the file of `--output` by `write`, which gets another name: the file takes its own only when it is whole. */
export async function writeWhole(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await write(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR')
      throw new UsageError(`--output: ${path} cannot be written (${code})`);
    throw error;
  }
}

/** Writes text to the file of `--output`, or to standard output for `-`. */
export async function writeText(
  text: AsyncIterable<string>,
  path: string,
  { out, signal }: Pick<CommandContext, 'out' | 'signal'>,
): Promise<void> {
  await writePieces(batchedText(text), path, { out, signal });
}

/** Writes bytes in pieces to the same places, and takes their memory; what the pieces return at their end. */
export async function writePieces<R>(
  pieces: AsyncGenerator<Uint8Array, R>,
  path: string,
  { out, signal }: Pick<CommandContext, 'out' | 'signal'>,
): Promise<R> {
  const result: R[] = [];
  const taken = async function* (): AsyncGenerator<Uint8Array, void> {
    result.push(yield* pieces);
  };
  if (path === '-') await pipeline(Readable.from(taken()), out, { end: false, signal });
  else await writeWhole(path, (unfinished) => writeFile(unfinished, taken(), signal));
  if (result.length === 0) throw new Error('the pieces did not come to their end');
  return result[0];
}

/** The next piece is made while one is written. */
async function writeFile(path: string, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  await using file = await open(path, 'w');
  let writing = Promise.resolve();
  try {
    for await (const piece of pieces) {
      await writing;
      signal.throwIfAborted();
      writing = file.writeFile(piece).then(() => giveBack(piece));
      // Thrown where it is waited for.
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
}

/** Returns memory at once that the collector would have to look for: a gigabyte of pieces takes a quarter of the time with it. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
