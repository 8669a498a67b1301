import { close, fstat, open, read, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';

import { ByteSourceError, checkRange } from './byte-error.ts';
import type { ByteSource } from './byte-source.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);
const statFile = promisify(fstat) as (fd: number, options: { bigint: true }) => Promise<BigIntStats>;

/** A source with a file behind it, held open from the first read until it is disposed of. */
export type FileByteSource = ByteSource & AsyncDisposable;

/**
 * The bytes of a file. A file that is put in its place by renaming is not noticed: reads go on in the old one. One that
 * is written into is noticed, and reads fail as `changed`.
 */
export function fileSource(path: string): FileByteSource {
  let opened: Promise<{ fd: number; size: number; version: string } | null> | null = null;

  function ensureOpen(): NonNullable<typeof opened> {
    opened ??= openFor(path).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  return {
    id: path,
    async stat({ signal }) {
      signal.throwIfAborted();
      const file = await ensureOpen();
      // What is not there now may come.
      if (file === null) opened = null;
      return file === null ? null : { size: file.size, version: file.version };
    },
    async fetch(offset, length, { signal }) {
      signal.throwIfAborted();
      const file = await ensureOpen();
      if (file === null) {
        opened = null;
        return null;
      }
      checkRange(path, offset, length, file.size);
      const bytes = await readExactly(path, file.fd, offset, length);
      signal.throwIfAborted();
      if (versionOf(await statFile(file.fd, { bigint: true })) !== file.version)
        throw new ByteSourceError('changed', path, 'the file was written into after it had been opened');
      return bytes;
    },
    async [Symbol.asyncDispose]() {
      const file = await opened?.catch(() => null);
      opened = null;
      if (file) await closeFile(file.fd);
    },
  };
}

async function openFor(path: string): Promise<{ fd: number; size: number; version: string } | null> {
  try {
    const fd = await openFile(path, 'r');
    const stats = await statFile(fd, { bigint: true });
    return { fd, size: Number(stats.size), version: versionOf(stats) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ByteSourceError('transport', path, (error as Error).message, { cause: error });
  }
}

async function readExactly(path: string, fd: number, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await readFile(fd, bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new ByteSourceError('short', path, `wanted ${length} bytes from ${offset}, got ${done}`);
    done += bytesRead;
  }
  return bytes;
}

function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}
