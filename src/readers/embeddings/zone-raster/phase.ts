import { join } from 'node:path';
import {
  type BlockPhase,
  detectBlockPhase,
  MIN_BLOCK_CONFIDENCE,
} from '../../../geo/segmentation/detect-block-phase.ts';
import { windowOfGrid } from '../../../geo/segmentation/code-window.ts';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import { createPack, readPack, writePack } from '../../packs/pack-file.ts';

/** Fewest pixels with data that a phase is taken from. */
const MIN_PIXELS = 1_024;

/** No blocks to go by: cells begin at the raster's corner. */
export const NO_PHASE: BlockPhase = { x: 0, y: 0, confidence: 1 };

/**
 * The phase of the 2 x 2 blocks in the middle block of a file, on the lattice on which the file's upper left pixel is in
 * column `left`, row `top`; null when there is too little data, or no blocks that are clear enough.
 */
export async function phaseInMiddle(
  blocks: CodeBlocks,
  left: number,
  top: number,
  signal: AbortSignal,
): Promise<BlockPhase | null> {
  const bx = Math.floor((blocks.width - 1) / BLOCK / 2);
  const by = Math.floor((blocks.height - 1) / BLOCK / 2);
  const find = (codes: Int8Array | null) => phaseOfBlock(codes, left + bx * BLOCK, top + by * BLOCK);
  const rows = { first: by, last: by };
  return blocks.use === undefined
    ? find(await blocks.block(bx, by, signal, { rows }))
    : blocks.use(bx, by, signal, find, rows);
}

function phaseOfBlock(codes: Int8Array | null, left: number, top: number): BlockPhase | null {
  if (codes === null || countPixels(codes) < MIN_PIXELS) return null;
  // Only differences between neighbours count here; where the block lies does not.
  const grid = { width: BLOCK, height: BLOCK, codes, transform: [1, 0, 0, 0, -1, 0] as const, crs: 'EPSG:4326' };
  const { x, y, confidence } = detectBlockPhase(windowOfGrid(grid));
  if (confidence < MIN_BLOCK_CONFIDENCE) return null;
  return { x: parity(x + left), y: parity(y + top), confidence };
}

function countPixels(codes: Int8Array): number {
  let pixels = 0;
  for (let at = 0; at < codes.length; at += BANDS) if (codes[at] !== NODATA) pixels += 1;
  return pixels;
}

function parity(pixel: number): 0 | 1 {
  return (pixel & 1) === 0 ? 0 : 1;
}

/** Keeps what was found out about a raster for other processes and later starts. */
export interface PhaseStore {
  /** Null: not known yet. Never rejects. */
  read(): Promise<BlockPhase | null>;
  /** Never rejects: a phase that was not kept is looked up again. */
  write(phase: BlockPhase): Promise<void>;
}

/** The phase of one raster of a dataset as a file in `folder`. */
export function phaseStore(folder: string, dataset: string, raster: string): PhaseStore {
  const path = join(folder, `phase-${raster}.pack`);
  const key = `block-phase/1 ${raster}`;
  return {
    async read() {
      const { pack } = await readPack(path, dataset, key);
      if (pack === null) return null;
      const { x, y, confidence } = pack.header.meta as Record<keyof BlockPhase, unknown>;
      return { x: x === 1 ? 1 : 0, y: y === 1 ? 1 : 0, confidence: Number(confidence) };
    },
    async write({ x, y, confidence }) {
      // As text, because JSON has no infinity.
      const pack = createPack(dataset, key, {}, { x, y, confidence: String(confidence) });
      await writePack(path, pack).catch(() => {});
    },
  };
}
