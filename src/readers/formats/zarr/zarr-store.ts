import { join } from 'node:path';

import { fileSource } from '../../io/file-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';

/**
 * The files of a Zarr store by key, such as `labels/c/0/1`. A source that can be disposed of is, after each use; one
 * that cannot is kept by the store.
 */
export type ZarrStore = (key: string) => ByteSource & Partial<AsyncDisposable>;

/** Sources of a remote store that are kept, with what they know of size and version. */
const KEPT_SOURCES = 512;

/** A store in a folder. Every use opens the file again, so a shard that was replaced is seen at once. */
export function folderStore(folder: string): ZarrStore {
  return (key) => fileSource(join(folder, ...key.split('/')));
}

/** How a store at an address is read. */
interface RemoteStoreOptions {
  /** The bytes at an address, with retries and limits around them. */
  readonly open: (url: string) => ByteSource;
  /** How long a file that was not there is believed to be missing; default 300,000 ms. */
  readonly missingMs?: number;
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number;
}

/** A store at an http or https address; keys are put after the address's path, before its query. */
export function remoteStore(base: string, options: RemoteStoreOptions): ZarrStore {
  const { open, missingMs = 300_000, now = () => performance.now() } = options;
  const kept = new Map<string, ByteSource>();
  return (key) => {
    const source = kept.get(key) ?? withMissingKept(open(addressOf(base, key)), missingMs, now);
    kept.delete(key);
    kept.set(key, source);
    if (kept.size > KEPT_SOURCES) kept.delete(kept.keys().next().value as string);
    return source;
  };
}

/** Runs a job on one file of a store. */
export async function withFile<T>(store: ZarrStore, key: string, job: (source: ByteSource) => Promise<T>): Promise<T> {
  const source = store(key);
  try {
    return await job(source);
  } finally {
    await source[Symbol.asyncDispose]?.();
  }
}

function addressOf(base: string, key: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${key}`;
  return url.href;
}

/** Most places of a mosaic are sea: without this each lookup there would request the same missing files again. */
function withMissingKept(source: ByteSource, missingMs: number, now: () => number): ByteSource {
  let missingSince = -Infinity;
  return {
    id: source.id,
    async stat(options) {
      if (now() - missingSince < missingMs) return null;
      const info = await source.stat(options);
      missingSince = info === null ? now() : -Infinity;
      return info;
    },
    fetch: (offset, length, options) => source.fetch(offset, length, options),
  };
}
