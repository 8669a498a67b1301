import { close, fstat, fstatSync, open, read, readSync, readv, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';

import { ByteSourceError, checkRange } from './byte-error.ts';
import type { ByteRange } from './plan.ts';
import type { ByteSource, FetchOptions } from './byte-source.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);
const statFile = promisify(fstat) as (fd: number, options: { bigint: true }) => Promise<BigIntStats>;

/** A file that is open in this process. */
export interface OpenFile {
  readonly fd: number;
  readonly size: number;
  readonly version: string;
}

/** Bytes of a file and the buffers that they fill one after the other. */
export interface FileRun {
  readonly offset: number;
  readonly into: readonly Uint8Array[];
}

/** A source that reads a file, held open from the first read until it is disposed of. */
export interface FileByteSource extends ByteSource, AsyncDisposable {
  /** The file, for a thread that reads it itself by `readOpenFile`; null when nothing is there. */
  openFile(): Promise<OpenFile | null>;
  /**
   * Fills buffers with the bytes of several places; false when nothing is there. Rejects when all reads have ended, but not as `changed`:
   * that is left to `checkUnchanged`, which one calls once for many reads, before anything that came of them is believed.
   */
  fetchInto(runs: readonly FileRun[], options: FetchOptions): Promise<boolean>;
  /** Rejects as `changed` when the file was written into since it was opened, or closed. */
  checkUnchanged(): Promise<void>;
}

export function isFileSource(source: ByteSource): source is FileByteSource {
  return 'openFile' in source;
}

/**
 * The bytes of a file. A file that is put in its place by renaming is not noticed: reads go on in the old one. One that
 * is written into is noticed, and reads fail as `changed`.
 */
export function fileSource(path: string): FileByteSource {
  let opened: Promise<OpenFile | null> | null = null;
  let isClosed = false;

  function ensureOpen(): NonNullable<typeof opened> {
    opened ??= openFor(path).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  async function openFile(): Promise<OpenFile | null> {
    const file = await ensureOpen();
    // What is not there now may come.
    if (file === null) opened = null;
    return file;
  }

  return {
    id: path,
    openFile,
    async stat({ signal }) {
      signal.throwIfAborted();
      const file = await openFile();
      return file === null ? null : { size: file.size, version: file.version };
    },
    async fetch(offset, length, { signal }) {
      signal.throwIfAborted();
      const file = await openFile();
      if (file === null) return null;
      checkRange(path, offset, length, file.size);
      const bytes = await readExactly(path, file.fd, offset, length);
      signal.throwIfAborted();
      assertUnchanged(path, file, await statFile(file.fd, { bigint: true }));
      return bytes;
    },
    async fetchInto(runs, { signal }) {
      signal.throwIfAborted();
      const file = await openFile();
      if (file === null) return false;
      const reads = await Promise.allSettled(runs.map((run) => fill(path, file, run)));
      const failed = reads.find((read) => read.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      signal.throwIfAborted();
      return true;
    },
    async checkUnchanged() {
      // The number of a closed file may have stood for another one while it was read.
      if (isClosed) throw new ByteSourceError('changed', path, 'the file was closed while it was read');
      const file = await opened;
      if (file) assertUnchanged(path, file, await statFile(file.fd, { bigint: true }));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const file = await opened?.catch(() => null);
      opened = null;
      if (file) await closeFile(file.fd);
    },
  };
}

/**
 * Reads ranges of an open file, one after the other, into `out`; blocks the thread, which may be any of the process. A
 * file that was closed meanwhile fails like one that was written into, even when its number stands for another one now.
 */
export function readOpenFile(path: string, file: OpenFile, ranges: readonly ByteRange[], out: Uint8Array): void {
  let at = 0;
  for (const { offset, length } of ranges) {
    checkRange(path, offset, length, file.size);
    for (const end = at + length; at < end;) {
      const place = offset + length - (end - at);
      const bytesRead = readSync(file.fd, out, at, end - at, place);
      if (bytesRead === 0) throw new ByteSourceError('short', path, `wanted bytes to ${offset + length}, got ${place}`);
      at += bytesRead;
    }
  }
  assertUnchanged(path, file, fstatSync(file.fd, { bigint: true }));
}

async function openFor(path: string): Promise<OpenFile | null> {
  try {
    const fd = await openFile(path, 'r');
    const stats = await statFile(fd, { bigint: true });
    return { fd, size: Number(stats.size), version: versionOf(stats) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ByteSourceError('transport', path, (error as Error).message, { cause: error });
  }
}

async function fill(path: string, { fd, size }: OpenFile, { offset, into }: FileRun): Promise<void> {
  const length = into.reduce((sum, { byteLength }) => sum + byteLength, 0);
  checkRange(path, offset, length, size);
  for (let done = 0; done < length;) {
    const bytesRead = await readBuffers(fd, done === 0 ? into : after(into, done), offset + done);
    if (bytesRead === 0) throw new ByteSourceError('short', path, `wanted ${length} bytes from ${offset}, got ${done}`);
    done += bytesRead;
  }
}

/** A promise of its own: the promisified one makes an object for each read. */
function readBuffers(fd: number, into: readonly Uint8Array[], at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytesRead: number): void =>
      error === null ? resolve(bytesRead) : reject(error);
    if (into.length === 1) read(fd, into[0], 0, into[0].byteLength, at, done);
    else readv(fd, into, at, done);
  });
}

/** What of some buffers comes after so many bytes. */
function after(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = bytes;
  for (const buffer of buffers) {
    if (skip < buffer.byteLength) rest.push(buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.byteLength);
  }
  return rest;
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

function assertUnchanged(path: string, { version }: OpenFile, stats: BigIntStats): void {
  if (versionOf(stats) !== version)
    throw new ByteSourceError('changed', path, 'the file was written into after it had been opened');
}

function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}
