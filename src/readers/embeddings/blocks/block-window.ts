import type { CodeWindow } from '../../../geo/segmentation/code-window.ts';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';

/**
 * The `width` x `height` pixels from (`x0`, `y0`), whole numbers, which may lie outside: what the raster does not cover
 * is -128. All blocks it needs are requested at once; rows are copied straight from them. Rejects as the blocks do.
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
  const reads = Array.from({ length: across * down }, (_, i) =>
    blocks.block(firstX + (i % across), firstY + Math.floor(i / across), signal),
  );
  const held = (await Promise.allSettled(reads)).map((read) => {
    if (read.status === 'rejected') throw read.reason;
    return read.value;
  });

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
