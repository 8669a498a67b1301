import type { CodeWindow } from '../../../geo/segmentation/code-window.ts';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import type { MosaicLayout } from './layout.ts';
import { openMosaicPixels } from './pixels.ts';
import type { RasterLattice } from '../zone-raster/lattice.ts';
import { giveWindowMemory, takeWindowMemory } from '../blocks/window-memory.ts';

/** Blocks read at the same time; far north a window of 10 km crosses many, of 4 MB each. */
const READS = 6;
const WORDS = BANDS / 4;

/**
 * The `width` x `height` pixels of a zone from (`x0`, `y0`), each the mosaic pixel under its centre; -128 where the
 * mosaic has none. Holds the window alone: blocks are let go as soon as their pixels have been taken. Rejects as the
 * blocks do.
 */
export async function mosaicWindow(
  layout: MosaicLayout,
  blocks: CodeBlocks,
  lattice: RasterLattice,
  x0: number,
  y0: number,
  width: number,
  height: number,
  signal: AbortSignal,
): Promise<CodeWindow> {
  const codes = takeWindowMemory(width * height * BANDS).fill(NODATA);
  const out = new Int32Array(codes.buffer, codes.byteOffset, codes.length / 4);
  const { waiting, blockOf, pixelOf } = planReads(layout, lattice, x0, y0, width, height);

  async function readNext(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { bx, by } = next;
      const take = (block: Int8Array | null): void => {
        if (block !== null) copyPixels(block, next, width, blockOf, pixelOf, out);
      };
      if (blocks.use === undefined) take(await blocks.block(bx, by, signal));
      else await blocks.use(bx, by, signal, take);
    }
  }

  const readers = await Promise.allSettled(
    Array.from({ length: READS }, () =>
      readNext().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  for (const reader of readers) if (reader.status === 'rejected') throw reader.reason;
  const rowLength = width * BANDS;
  return {
    width,
    height,
    copyRow: (y, row) => row.set(codes.subarray(y * rowLength, (y + 1) * rowLength)),
    release: () => giveWindowMemory(codes),
  };
}

/** A block, and the rows of the window that take pixels from it, last one exclusive. */
interface BlockRead {
  readonly bx: number;
  readonly by: number;
  readonly number: number;
  readonly firstRow: number;
  endRow: number;
}

interface ReadPlan {
  readonly waiting: BlockRead[];
  /** For each pixel of the window the number of its block, -1 for none, and its pixel there. */
  readonly blockOf: Int32Array;
  readonly pixelOf: Uint16Array;
}

function planReads(
  layout: MosaicLayout,
  lattice: RasterLattice,
  x0: number,
  y0: number,
  width: number,
  height: number,
): ReadPlan {
  const pixels = openMosaicPixels(layout, lattice, x0, y0, width, height);
  const reads = new Map<number, BlockRead>();
  const blockOf = new Int32Array(width * height).fill(-1);
  const pixelOf = new Uint16Array(width * height);
  const places = new Int32Array(2 * width);
  const across = Math.ceil(layout.width / BLOCK);
  let read: BlockRead | undefined;
  for (let y = 0; y < height; y++) {
    pixels.locate(x0, y0 + y, width, places);
    for (let x = 0; x < width; x++) {
      const column = places[2 * x];
      const row = places[2 * x + 1];
      if (column < 0) continue;
      const bx = (column / BLOCK) | 0;
      const by = (row / BLOCK) | 0;
      // Neighbours lie in one block as a rule.
      if (read === undefined || read.bx !== bx || read.by !== by) {
        const key = by * across + bx;
        read = reads.get(key) ?? { bx, by, number: reads.size, firstRow: y, endRow: y };
        reads.set(key, read);
      }
      read.endRow = y + 1;
      blockOf[y * width + x] = read.number;
      pixelOf[y * width + x] = (row % BLOCK) * BLOCK + (column % BLOCK);
    }
  }
  // The list is read from its end.
  return { waiting: [...reads.values()].toReversed(), blockOf, pixelOf };
}

/** Copies the pixels of one block, 16 words each. */
function copyPixels(
  block: Int8Array,
  { number, firstRow, endRow }: BlockRead,
  width: number,
  blockOf: Int32Array,
  pixelOf: Uint16Array,
  out: Int32Array,
): void {
  const from = new Int32Array(block.buffer, block.byteOffset, BLOCK * BLOCK * WORDS);
  for (let pixel = firstRow * width; pixel < endRow * width; pixel++) {
    if (blockOf[pixel] !== number) continue;
    const start = pixelOf[pixel] * WORDS;
    const to = pixel * WORDS;
    for (let word = 0; word < WORDS; word++) out[to + word] = from[start + word];
  }
}
