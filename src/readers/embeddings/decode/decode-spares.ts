import { BANDS } from '../../../geo/segmentation/grid.ts';
import { BLOCK } from '../cog/code-blocks.ts';

/** Memory for code blocks that lies ready. */
interface SpareBlocks {
  /** Memory for one code block; what is in it is not said. */
  take(): SharedArrayBuffer;
  /** Takes back memory for a code block that nobody reads or writes any more; what there is too much of is left to the collector. */
  give(block: SharedArrayBuffer): void;
  /** Makes new ones after a while, as long as nothing else is to do. */
  refill(): void;
  close(): void;
}

const BLOCK_BYTES = BLOCK * BLOCK * BANDS;
/** Blocks of the first window of most lookups; 16.8 MB. */
const SPARES = 4;
/** Between the parts of one lookup there is less than this. */
const REST_MS = 20;

/**
 * Keeps a few blocks that have been written to once. The kernel clears memory when it is first touched, page by page:
 * a millisecond a block, half as long as decoding one takes, which is spent here between two lookups.
 * @param touch writes to every page, in another thread
 */
export function createSpareBlocks(
  isIdle: () => boolean,
  touch: (block: SharedArrayBuffer) => Promise<unknown>,
): SpareBlocks {
  const spares: SharedArrayBuffer[] = [];
  let timer: NodeJS.Timeout | null = null;

  async function fill(): Promise<void> {
    timer = null;
    while (isIdle() && spares.length < SPARES) {
      const block = new SharedArrayBuffer(BLOCK_BYTES);
      await touch(block);
      if (spares.length < SPARES) spares.push(block);
    }
  }

  return {
    take: () => spares.pop() ?? new SharedArrayBuffer(BLOCK_BYTES),
    give(block) {
      if (spares.length < SPARES && block.byteLength === BLOCK_BYTES) spares.push(block);
    },
    refill() {
      if (timer !== null || spares.length >= SPARES) return;
      // What cannot be touched is not missed: blocks are made when they are taken.
      timer = setTimeout(() => void fill().catch(() => {}), REST_MS).unref();
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      spares.length = 0;
    },
  };
}

/** Writes to every page of memory that nobody has written to yet. */
export function touchPages(memory: SharedArrayBuffer): void {
  const bytes = new Uint8Array(memory);
  for (let at = 0; at < bytes.length; at += 4096) bytes[at] = 0;
}
