import type { BlockPhase } from '../../../geo/segmentation/detect-block-phase.ts';
import { createShared } from '../../io/share.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import { type EmbeddingRaster, withinDeadline } from '../embedding-source.ts';
import type { MosaicLayout } from './layout.ts';
import { findMosaicPhase, type PlacePixel } from './phase.ts';
import { openMosaicPixels } from './pixels.ts';
import { mosaicWindow } from './window.ts';
import { zoneLattice, type Bounds, type RasterLattice } from '../zone-raster/lattice.ts';
import { NO_PHASE, type PhaseStore } from '../zone-raster/phase.ts';

/** One year of a mosaic. */
export interface MosaicYear {
  readonly layout: MosaicLayout;
  readonly year: number;
  /** Its place in the first dimension. */
  readonly step: number;
  readonly blocks: CodeBlocks;
}

interface MosaicRasterOptions {
  readonly of: MosaicYear;
  readonly epsg: number;
  /** Where the mosaic may hold data, in degrees. */
  readonly reach: Bounds;
  /** Time for one call, in milliseconds. */
  readonly deadlineMs: number;
  readonly phases: PhaseStore;
}

export interface MosaicRaster extends EmbeddingRaster {
  /** The same raster, which may look at this place for its phase where it finds none at its own. */
  near(place: PlacePixel): EmbeddingRaster;
}

/** Blocks that are remembered as missing. */
const KEPT_MISSING = 65_536;

/**
 * A year of a mosaic as one UTM zone on the lattice of AEF's own pixels. The mosaic was made from those pixels by nearest
 * neighbour, and so they come back from it, their blocks with them; pixels are squares of 10 m at every latitude.
 */
export function createMosaicRaster(options: MosaicRasterOptions): MosaicRaster {
  const { of, epsg, reach, deadlineMs, phases } = options;
  const { layout, year, step } = of;
  const lattice = zoneLattice(epsg);
  const missing = new Set<number>();
  const blocks = notingMissing(of, missing);
  const sharePhase = createShared<BlockPhase>();
  let phase: BlockPhase | null = null;

  async function has(x: number, y: number, signal: AbortSignal): Promise<boolean> {
    const block = mosaicBlockUnder(layout, lattice, x, y);
    return block !== null && layout.array.has([step, 0, block.by, block.bx], signal);
  }

  const window: EmbeddingRaster['window'] = (x0, y0, width, height, signal) =>
    mosaicWindow(layout, blocks, lattice, x0, y0, width, height, signal);

  async function findPhase(place: PlacePixel | null, signal: AbortSignal): Promise<BlockPhase> {
    phase ??= await phases.read();
    if (phase !== null) return phase;
    const found = await findMosaicPhase({ layout, lattice, reach, has, window }, place, signal);
    // What was not found may be later, when the mosaic has been filled further.
    if (found === null) return NO_PHASE;
    phase = found;
    await phases.write(found);
    return found;
  }

  const phaseNear = (place: PlacePixel | null, signal: AbortSignal): Promise<BlockPhase> =>
    withinDeadline(deadlineMs, of.blocks.id, signal, (inner) =>
      sharePhase(place === null ? '' : `${place.x} ${place.y}`, inner, (shared) => findPhase(place, shared)),
    );

  const raster: EmbeddingRaster = {
    id: lattice.crs,
    year,
    ...lattice,
    covers(x, y) {
      const block = mosaicBlockUnder(layout, lattice, x, y);
      return block !== null && !missing.has(block.by * layout.width + block.bx);
    },
    phase: (signal) => phaseNear(null, signal),
    version: async () => of.blocks.id,
    window: (x0, y0, width, height, signal) =>
      withinDeadline(deadlineMs, of.blocks.id, signal, (inner) => window(x0, y0, width, height, inner)),
  };
  return { ...raster, near: (place) => ({ ...raster, phase: (signal) => phaseNear(place, signal) }) };
}

/** The block of a mosaic that holds the centre of a zone's pixel; null where the mosaic does not reach. */
export function mosaicBlockUnder(
  layout: MosaicLayout,
  lattice: RasterLattice,
  x: number,
  y: number,
): { readonly bx: number; readonly by: number } | null {
  const out = new Int32Array(2);
  openMosaicPixels(layout, lattice, x, y, 1, 1).locate(x, y, 1, out);
  return out[0] < 0 ? null : { bx: Math.floor(out[0] / BLOCK), by: Math.floor(out[1] / BLOCK) };
}

/** Remembers which blocks are not stored at all, which is outside coverage; a block that is stored may be all no data. */
function notingMissing({ layout, step, blocks }: MosaicYear, missing: Set<number>): CodeBlocks {
  async function note(bx: number, by: number, isEmpty: boolean, signal: AbortSignal): Promise<void> {
    const key = by * layout.width + bx;
    if (!isEmpty || (await layout.array.has([step, 0, by, bx], signal))) missing.delete(key);
    else if (missing.size < KEPT_MISSING) missing.add(key);
  }
  const { use } = blocks;
  return {
    ...blocks,
    async block(bx, by, signal) {
      const codes = await blocks.block(bx, by, signal);
      await note(bx, by, codes === null, signal);
      return codes;
    },
    ...(use !== undefined && {
      async use<T>(bx: number, by: number, signal: AbortSignal, take: (codes: Int8Array | null) => T) {
        const [isEmpty, taken] = await use(bx, by, signal, (codes) => [codes === null, take(codes)] as const);
        await note(bx, by, isEmpty, signal);
        return taken;
      },
    }),
  };
}
