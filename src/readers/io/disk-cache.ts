import { createShared } from './share.ts';
import { ByteSourceError, checkRange } from './byte-error.ts';
import type { ByteSource, ByteSourceInfo } from './byte-source.ts';
import type { DiskCacheFolder } from './disk-cache-folder.ts';

/** Bytes of a block: the unit in which files are cached. */
export const CACHE_BLOCK_BYTES = 131_072;

/**
 * Keeps what is read of a source on disk, in blocks of 128 KiB, under its id, version and size: when any of them changes,
 * old blocks are no longer found. Every block is checked when it is read; a damaged one is fetched again. A source that
 * has no version is not cached. A disk that fails slows reads down but does not fail them.
 */
export function withDiskCache(source: ByteSource, cache: DiskCacheFolder): ByteSource {
  const shared = createShared<Uint8Array | null>();

  /** Blocks `first` to `last` inclusive, in one request, each kept; null when the source is no longer there. */
  async function fetchRun(
    info: ByteSourceInfo,
    first: number,
    last: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | null> {
    const start = first * CACHE_BLOCK_BYTES;
    const end = Math.min((last + 1) * CACHE_BLOCK_BYTES, info.size);
    const bytes = await source.fetch(start, end - start, { signal });
    if (bytes === null) return null;
    // The bytes are of the version the keys name only if the source still has that version after they came.
    const after = await source.stat({ signal });
    if (after?.version !== info.version || after.size !== info.size)
      throw new ByteSourceError('changed', source.id, 'the bytes were replaced while they were read');
    const blocks = Array.from({ length: last - first + 1 }, (_, i) =>
      bytes.subarray(i * CACHE_BLOCK_BYTES, (i + 1) * CACHE_BLOCK_BYTES),
    );
    await Promise.all(blocks.map((block, i) => cache.put(keyOf(source.id, info, first + i), block)));
    return bytes;
  }

  return {
    id: source.id,
    stat: (options) => source.stat(options),
    async fetch(offset, length, { signal }) {
      const info = await source.stat({ signal });
      if (info === null) return null;
      checkRange(source.id, offset, length, info.size);
      if (info.version === null || length === 0) return source.fetch(offset, length, { signal });
      const first = Math.floor(offset / CACHE_BLOCK_BYTES);
      const last = Math.floor((offset + length - 1) / CACHE_BLOCK_BYTES);
      const indexes = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      const parts = new Map<number, Uint8Array>();
      await Promise.all(
        indexes.map(async (index) => {
          const block = await cache.get(keyOf(source.id, info, index), blockLength(info, index));
          if (block !== null) parts.set(index, block);
        }),
      );
      signal.throwIfAborted();
      for (const [from, to] of runsOf(indexes.filter((index) => !parts.has(index)))) {
        const key = `${info.version} ${info.size} ${from} ${to}`;
        const bytes = await shared(key, signal, (inner) => fetchRun(info, from, to, inner));
        if (bytes === null) return null;
        for (let i = from; i <= to; i++)
          parts.set(i, bytes.subarray((i - from) * CACHE_BLOCK_BYTES, (i - from + 1) * CACHE_BLOCK_BYTES));
      }
      return slice(
        indexes.map((index) => parts.get(index) as Uint8Array),
        offset - first * CACHE_BLOCK_BYTES,
        length,
      );
    },
  };
}

function keyOf(id: string, info: ByteSourceInfo, index: number): string {
  return JSON.stringify([id, info.version, info.size, CACHE_BLOCK_BYTES, index]);
}

function blockLength(info: ByteSourceInfo, index: number): number {
  return Math.min(CACHE_BLOCK_BYTES, info.size - index * CACHE_BLOCK_BYTES);
}

/** Neighbouring numbers of an ascending list joined into runs, first and last inclusive. */
function runsOf(indexes: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

function slice(blocks: readonly Uint8Array[], start: number, length: number): Uint8Array {
  const whole = blocks.length === 1 ? blocks[0] : Buffer.concat(blocks);
  return whole.subarray(start, start + length);
}
