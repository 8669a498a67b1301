import { BANDS } from '../../../geo/segmentation/grid.ts';
import { createShared } from '../../io/share.ts';
import type { DiskCacheFolder } from '../../io/disk-cache-folder.ts';
import { type AlsoRead, BLOCK, type BlockRows, type CodeBlocks } from '../cog/code-blocks.ts';

interface BlockCacheOptions {
  /** Shared by all rasters of a process. */
  readonly memory: BlockMemory;
  /**
   * For rasters that are slow to read: remote ones, whose blocks cost many requests. A local file is read nearly as fast
   * as its copy, so give null for it, and for one whose bytes have no version.
   */
  readonly disk: DiskCacheFolder | null;
}

/** Blocks with a cache before them. */
export interface CachedBlocks extends CodeBlocks {
  /** Resolves when everything read so far has been written to disk. */
  settled(): Promise<void>;
}

const BLOCK_BYTES = BLOCK * BLOCK * BANDS;
/** Blocks that may wait to be written; from then on readers wait for the disk. */
const MAX_WRITES = 8;
/** Stands on disk for a block that is all nodata. */
const NOTHING = Uint8Array.of(0);

/**
 * Keeps decoded blocks in memory, and on disk as they are: codes of real forest shrink by an eighth under zstd, which
 * costs more time than reading them. Blocks that come along with a requested one go to disk too, so that a file
 * with large blocks is read once; that a block is all nodata is remembered as well. Callers of one block share the read.
 */
export function withBlockCache(blocks: CodeBlocks, { memory, disk }: BlockCacheOptions): CachedBlocks {
  const shared = createShared<Int8Array | null>();
  const writes = new Map<string, Promise<void>>();
  const keyOf = (bx: number, by: number): string => JSON.stringify([blocks.id, 'block', BLOCK, bx, by]);

  /** Undefined: it is not there. */
  async function fromDisk(key: string): Promise<Int8Array | null | undefined> {
    if (disk === null) return undefined;
    const bytes = await disk.get(key, BLOCK_BYTES);
    if (bytes !== null) return new Int8Array(bytes.buffer, bytes.byteOffset, BLOCK_BYTES);
    return (await disk.get(`${key} nothing`, NOTHING.length)) === null ? undefined : null;
  }

  function write(key: string, codes: Int8Array | null): Promise<void> {
    if (disk === null) return Promise.resolve();
    const bytes = codes === null ? NOTHING : new Uint8Array(codes.buffer, codes.byteOffset, BLOCK_BYTES);
    const written = disk.put(codes === null ? `${key} nothing` : key, bytes).finally(() => writes.delete(key));
    writes.set(key, written);
    return written;
  }

  const also: AlsoRead = {
    wants: (bx, by) => disk !== null && !writes.has(keyOf(bx, by)) && memory.get(keyOf(bx, by)) === undefined,
    async take(bx, by, codes) {
      await write(keyOf(bx, by), codes);
      if (codes !== null) blocks.release?.(codes);
    },
  };

  async function read(
    bx: number,
    by: number,
    key: string,
    signal: AbortSignal,
    rows: BlockRows | undefined,
  ): Promise<Int8Array | null> {
    const kept = await fromDisk(key);
    signal.throwIfAborted();
    const options = disk === null ? { rows } : { rows, also };
    const codes = kept === undefined ? await blocks.block(bx, by, signal, options) : kept;
    if (kept === undefined) memory.hold(key);
    memory.set(key, codes, kept === undefined && codes !== null ? () => blocks.release?.(codes) : null);
    if (kept === undefined) {
      const written = write(key, codes).finally(() => memory.letGo(key));
      if (writes.size > MAX_WRITES) await written;
    }
    return codes;
  }

  async function use<T>(
    bx: number,
    by: number,
    signal: AbortSignal,
    take: (codes: Int8Array | null) => T,
    rows?: BlockRows,
  ): Promise<T> {
    signal.throwIfAborted();
    const key = keyOf(bx, by);
    const held = memory.get(key);
    if (held !== undefined) return take(held);
    memory.hold(key);
    try {
      return take(await shared(key, signal, (inner) => read(bx, by, key, inner, rows)));
    } finally {
      memory.letGo(key);
    }
  }

  return {
    id: blocks.id,
    width: blocks.width,
    height: blocks.height,
    use,
    block: (bx, by, signal) =>
      use(bx, by, signal, (codes) => {
        memory.giveAway(keyOf(bx, by));
        return codes;
      }),
    async settled() {
      while (writes.size > 0) await Promise.all(writes.values());
    },
  };
}

/** Decoded blocks by key, the ones used last; null stands for a block that is all nodata. */
interface BlockMemory {
  /** Undefined: it is not there. */
  get(key: string): Int8Array | null | undefined;
  /** `release` is called when nobody has a use for the codes any more, who held the key or got them from here. */
  set(key: string, codes: Int8Array | null, release: (() => void) | null): void;
  /** From now until `letGo` is called as often, the codes of a key are not released. */
  hold(key: string): void;
  letGo(key: string): void;
  /** Somebody has the codes of a key for good: they are never released. Call it while the key is in memory or held. */
  giveAway(key: string): void;
}

/** What an entry takes in addition to its codes, about. */
const ENTRY_BYTES = 512;

interface MemoryEntry {
  readonly codes: Int8Array | null;
  release: (() => void) | null;
}

/** @param maxBytes room for the blocks; default 268,435,456, which is 63 of them */
export function createBlockMemory(maxBytes = 268_435_456): BlockMemory {
  /** In order of use, the longest unused first. */
  const entries = new Map<string, MemoryEntry>();
  const holders = new Map<string, number>();
  /** Entries that were removed while their key was held. */
  const leaving = new Map<string, MemoryEntry[]>();
  let held = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    held -= sizeOf(entry.codes);
    leave(key, entry);
  }

  function leave(key: string, entry: MemoryEntry): void {
    if (!holders.has(key)) entry.release?.();
    else leaving.set(key, [...(leaving.get(key) ?? []), entry]);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.codes;
    },
    set(key, codes, release) {
      remove(key);
      const entry = { codes, release };
      if (sizeOf(codes) > maxBytes) return leave(key, entry);
      entries.set(key, entry);
      held += sizeOf(codes);
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) break;
        remove(oldest);
      }
    },
    hold: (key) => void holders.set(key, (holders.get(key) ?? 0) + 1),
    letGo(key) {
      const left = (holders.get(key) ?? 0) - 1;
      if (left > 0) {
        holders.set(key, left);
        return;
      }
      holders.delete(key);
      const gone = leaving.get(key) ?? [];
      leaving.delete(key);
      for (const { release } of gone) release?.();
    },
    giveAway(key) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.release = null;
      for (const one of leaving.get(key) ?? []) one.release = null;
    },
  };
}

function sizeOf(codes: Int8Array | null): number {
  return ENTRY_BYTES + (codes?.byteLength ?? 0);
}
