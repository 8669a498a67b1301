import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
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

/** Writes bytes in pieces to the same places; what the pieces return at their end. */
export async function writePieces<R>(
  pieces: AsyncGenerator<Uint8Array, R>,
  path: string,
  { out, signal }: Pick<CommandContext, 'out' | 'signal'>,
): Promise<R> {
  const result: R[] = [];
  const taken = async function* (): AsyncGenerator<Uint8Array, void> {
    result.push(yield* pieces);
  };
  const bytes = Readable.from(taken());
  if (path === '-') await pipeline(bytes, out, { end: false, signal });
  else await writeWhole(path, (unfinished) => pipeline(bytes, createWriteStream(unfinished), { signal }));
  if (result.length === 0) throw new Error('the pieces did not come to their end');
  return result[0];
}
