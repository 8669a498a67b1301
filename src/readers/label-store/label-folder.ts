import { closeSync, fstatSync, openSync, readSync, statSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { ByteSourceError, checkRange } from '../io/byte-error.ts';
import type { ByteSource } from '../io/byte-source.ts';
import type { ZarrStore } from '../formats/zarr/zarr-store.ts';

/** The files of a label store in a folder, and what closes them. */
export interface LabelFolder {
  readonly store: ZarrStore;
  close(): void;
}

interface OpenFile {
  readonly fd: number;
  readonly size: number;
  readonly version: string;
}

/** Files kept open; one is a shard of labels or of states. */
const KEPT_FILES = 64;

/**
 * A label store's folder, read without a pause: a chunk is a few kB, which mostly lie in the memory of the system, and to
 * hand the read to another thread takes longer than the read, on a busy machine by milliseconds. For threads that do
 * lookups, not for one that serves requests. A file that was replaced is noticed at its next `stat`.
 */
export function labelFolder(folder: string): LabelFolder {
  const kept = new Map<string, OpenFile>();

  function forget(path: string): void {
    const file = kept.get(path);
    if (file !== undefined) closeSync(file.fd);
    kept.delete(path);
  }

  /** The file as it is now; null when there is none. */
  function current(path: string): OpenFile | null {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) {
      forget(path);
      return null;
    }
    const known = kept.get(path);
    if (known?.version === versionOf(stats)) {
      kept.delete(path);
      kept.set(path, known);
      return known;
    }
    forget(path);
    const fd = openSync(path, 'r');
    const opened = fstatSync(fd, { bigint: true });
    const file = { fd, size: Number(opened.size), version: versionOf(opened) };
    kept.set(path, file);
    if (kept.size > KEPT_FILES) forget(kept.keys().next().value as string);
    return file;
  }

  function sourceOf(path: string): ByteSource {
    return {
      id: path,
      async stat({ signal }) {
        signal.throwIfAborted();
        const file = orBroken(path, () => current(path));
        return file && { size: file.size, version: file.version };
      },
      async fetch(offset, length, { signal }) {
        signal.throwIfAborted();
        return orBroken(path, () => {
          const file = kept.get(path) ?? current(path);
          if (file === null) return null;
          checkRange(path, offset, length, file.size);
          return readExactly(path, file.fd, offset, length);
        });
      },
    };
  }

  return {
    store: (key) => sourceOf(join(folder, ...key.split('/'))),
    close() {
      for (const path of kept.keys()) forget(path);
    },
  };
}

function readExactly(path: string, fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const count = readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) throw new ByteSourceError('short', path, `wanted ${length} bytes from ${offset}, got ${done}`);
    done += count;
  }
  return bytes;
}

function orBroken<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof ByteSourceError || code === undefined) throw error;
    if (code === 'ENOENT') return null as T;
    throw new ByteSourceError('transport', path, message, { cause: error });
  }
}

function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}
