import { ByteSourceError } from '../../io/byte-error.ts';
import { createShared } from '../../io/share.ts';
import type { ByteSource, ByteSourceInfo } from '../../io/byte-source.ts';
import { largestEncoded } from './decode-chunk.ts';
import { parseShardIndex, shardIndexBytes, type ShardIndex } from './shard-index.ts';
import { ZarrError } from './zarr-array.ts';
import { countOf, type Sharding, type ZarrArrayMetadata } from './zarr-metadata.ts';
import { withFile, type ZarrStore } from './zarr-store.ts';

/** Reads what lies in shards. */
export interface ShardReader {
  /** The encoded chunk in place `slot` (C order) of the shard at `key`; null when it is not stored. */
  read(key: string, slot: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** Whether it is stored. */
  has(key: string, slot: number, signal: AbortSignal): Promise<boolean>;
}

/** Room for the indexes that are kept, in chunks; each takes 16 bytes. */
const KEPT_CHUNKS = 1 << 18;

interface CachedIndex extends ShardIndex, ByteSourceInfo {}

/**
 * Opens the shards of an array. The index of a shard is read once and kept until the shard's version changes; a chunk is
 * then one range request. A shard that is replaced between two reads is read again, once.
 */
export function openShards(
  store: ZarrStore,
  metadata: ZarrArrayMetadata & { readonly sharding: Sharding },
): ShardReader {
  const { chunkShape, sharding } = metadata;
  const chunks = countOf(sharding.shardShape.map((size, i) => size / chunkShape[i]));
  const indexBytes = shardIndexBytes(chunks, sharding.indexChecksum);
  const largest = largestEncoded(metadata);
  const mostKept = Math.max(1, Math.floor(KEPT_CHUNKS / chunks));
  const kept = new Map<string, CachedIndex>();
  const shared = createShared<CachedIndex | null>();

  async function readIndex(source: ByteSource, signal: AbortSignal): Promise<CachedIndex | null> {
    const info = await source.stat({ signal });
    if (info === null) return null;
    if (info.size < indexBytes)
      throw new ZarrError('damaged', source.id, `wanted a shard of at least ${indexBytes} bytes, got ${info.size}`);
    const at = sharding.indexAt === 'start' ? 0 : info.size - indexBytes;
    const bytes = await source.fetch(at, indexBytes, { signal });
    return bytes && { ...info, ...parseShardIndex(source.id, bytes, chunks, sharding.indexChecksum) };
  }

  async function indexOf(key: string, info: ByteSourceInfo, signal: AbortSignal): Promise<CachedIndex | null> {
    const known = kept.get(key);
    kept.delete(key);
    // The job may outlive its first caller, so it opens the file for itself.
    const index =
      known !== undefined && isSame(known, info)
        ? known
        : await shared(key, signal, (inner) => withFile(store, key, (source) => readIndex(source, inner)));
    if (index === null) return null;
    kept.set(key, index);
    if (kept.size > mostKept) kept.delete(kept.keys().next().value as string);
    return index;
  }

  /** The shard, and its index as it is now, handed to a job; null when there is no shard. */
  async function withIndex<T>(
    key: string,
    signal: AbortSignal,
    job: (source: ByteSource, index: CachedIndex) => Promise<T>,
  ): Promise<T | null> {
    for (let isLast = false; ; isLast = true) {
      try {
        return await withFile(store, key, async (source) => {
          const info = await source.stat({ signal });
          const index = info === null ? null : await indexOf(key, info, signal);
          if (info === null || index === null) return null;
          if (!isSame(index, info)) throw new ByteSourceError('changed', source.id, 'the shard was replaced');
          return job(source, index);
        });
      } catch (error) {
        kept.delete(key);
        if (isLast || !(await isReplaced(store, key, error, signal))) throw error;
      }
    }
  }

  return {
    read: (key, slot, signal) =>
      withIndex(key, signal, async (source, index) => {
        const { [slot]: offset } = index.offsets;
        const { [slot]: length } = index.lengths;
        if (offset < 0) return null;
        if (offset + length > index.size || length > largest)
          throw new ZarrError(
            'damaged',
            source.id,
            `chunk ${slot}: wanted at most ${largest} of ${index.size} bytes, got ${length} from ${offset}`,
          );
        return source.fetch(offset, length, { signal });
      }),
    has: async (key, slot, signal) =>
      (await withIndex(key, signal, async (_source, index) => index.offsets[slot] >= 0)) ?? false,
  };
}

/**
 * Whether a failure may come from what was known of a shard that is no longer so. A source that believes an old size
 * learns the new one from the next answer, which it then fails as `changed`.
 */
async function isReplaced(store: ZarrStore, key: string, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (isChanged(error)) return true;
  const isWrongPlace = error instanceof ByteSourceError && error.kind === 'past_end';
  if (!isWrongPlace && !(error instanceof ZarrError)) return false;
  return withFile(store, key, (source) => source.fetch(0, 1, { signal })).then(() => false, isChanged);
}

function isChanged(error: unknown): boolean {
  return error instanceof ByteSourceError && error.kind === 'changed';
}

function isSame(a: ByteSourceInfo, b: ByteSourceInfo): boolean {
  return a.version === b.version && a.size === b.size;
}
