import type { CodeWindow } from '../../../geo/segmentation/code-window.ts';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import { giveWindowMemory, takeWindowMemory } from './window-memory.ts';

/**
 * The `width` x `height` pixels from (`x0`, `y0`), whole numbers, which may lie outside: what the raster does not cover
 * is -128. All blocks it needs are requested at once. Where blocks are kept, whose memory is used again, the window holds a copy of
 * its pixels; else rows are copied straight from the blocks. Rejects as the blocks do.
 */
export async function blockWindow(
  blocks: CodeBlocks,
  x0: number,
  y0: number,
  width: number,
  height: number,
  signal: AbortSignal,
): Promise<CodeWindow> {
  const firstX = Math.floor(Math.max(x0, 0) / BLOCK);
  const firstY = Math.floor(Math.max(y0, 0) / BLOCK);
  const across = Math.max(0, Math.ceil(Math.min(x0 + width, blocks.width) / BLOCK) - firstX);
  const down = Math.max(0, Math.ceil(Math.min(y0 + height, blocks.height) / BLOCK) - firstY);
  const places = Array.from({ length: across * down }, (_, i) => ({
    bx: firstX + (i % across),
    by: firstY + Math.floor(i / across),
  }));
  const rows = { first: firstY, last: firstY + down - 1 };
  if (blocks.use !== undefined) {
    const codes = takeWindowMemory(width * height * BANDS);
    const isInside = x0 >= 0 && y0 >= 0 && x0 + width <= blocks.width && y0 + height <= blocks.height;
    if (!isInside) codes.fill(NODATA);
    const out = { codes, x0, y0, width, height };
    const copies = places.map(({ bx, by }) =>
      blocks.use?.(bx, by, signal, (block) => copyBlock(block, bx, by, out), rows),
    );
    for (const copy of await Promise.allSettled(copies)) if (copy.status === 'rejected') throw copy.reason;
    const length = width * BANDS;
    return {
      width,
      height,
      copyRow: (y, row) => row.set(codes.subarray(y * length, (y + 1) * length)),
      release: () => giveWindowMemory(codes),
    };
  }
  const held = (await Promise.allSettled(places.map(({ bx, by }) => blocks.block(bx, by, signal, { rows })))).map(
    (read) => {
      if (read.status === 'rejected') throw read.reason;
      return read.value;
    },
  );
  function copyRow(y: number, out: Int8Array): void {
    const row = y0 + y;
    out.fill(NODATA, 0, width * BANDS);
    const by = Math.floor(row / BLOCK) - firstY;
    if (by < 0 || by >= down || row < 0) return;
    for (let bx = 0; bx < across; bx++) {
      const codes = held[by * across + bx];
      if (codes === null) continue;
      const left = (firstX + bx) * BLOCK;
      const from = Math.max(x0, left);
      const to = Math.min(x0 + width, left + BLOCK);
      const start = ((row % BLOCK) * BLOCK + from - left) * BANDS;
      out.set(codes.subarray(start, start + (to - from) * BANDS), (from - x0) * BANDS);
    }
  }

  return { width, height, copyRow };
}

/** The pixels of a window, row after row, from column `x0`, row `y0` of the raster. */
interface WindowCodes {
  readonly codes: Int8Array;
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
}

/** Copies what a block has of a window; null is a block without data. */
function copyBlock(block: Int8Array | null, bx: number, by: number, out: WindowCodes): void {
  const { codes, x0, y0, width, height } = out;
  const [left, top] = [bx * BLOCK, by * BLOCK];
  const [from, to] = [Math.max(x0, left), Math.min(x0 + width, left + BLOCK)];
  for (let y = Math.max(y0, top); y < Math.min(y0 + height, top + BLOCK); y++) {
    const at = ((y - y0) * width + from - x0) * BANDS;
    const start = ((y - top) * BLOCK + from - left) * BANDS;
    const length = (to - from) * BANDS;
    if (block === null) codes.fill(NODATA, at, at + length);
    else codes.set(block.subarray(start, start + length), at);
  }
}
