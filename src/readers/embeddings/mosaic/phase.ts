import {
  detectBlockPhase,
  MIN_BLOCK_CONFIDENCE,
  type BlockPhase,
} from '../../../geo/segmentation/detect-block-phase.ts';
import type { CodeWindow } from '../../../geo/segmentation/code-window.ts';
import type { MosaicLayout } from './layout.ts';
import { fromMeridian, meridianOf, toPixel } from '../zone-raster/degrees.ts';
import type { Bounds, RasterLattice } from '../zone-raster/lattice.ts';

/** What of a raster is looked at. */
interface PhaseProbe {
  readonly layout: MosaicLayout;
  readonly lattice: RasterLattice;
  /** Where the mosaic may hold data, in degrees; a mirror of a region may have the grid of the world. */
  readonly reach: Bounds;
  /** Whether the mosaic stores the chunk under a pixel. */
  has(x: number, y: number, signal: AbortSignal): Promise<boolean>;
  window(x0: number, y0: number, width: number, height: number, signal: AbortSignal): Promise<CodeWindow>;
}

/** Places along the zone, and across it. */
const ALONG = 24;
const ACROSS = [1 / 2, 1 / 4, 3 / 4] as const;
/** Places queried at once; a query costs an index, and is answered "no" at sea. */
const TOGETHER = 8;
/** Places that are read before the raster counts as one without blocks. */
const READS = 6;
/** Side of what is read of a place, in pixels. */
const SIDE = 128;
/** Degrees that a zone reaches to each side of its meridian. */
const HALF_ZONE = 3;

/**
 * The phase of the blocks of a zone, from the first of some fixed places of the mosaic where they are clear, so that
 * every lookup gets the same; only where none of them is stored or clear, from the place `near`. Null where that is not
 * clear either.
 */
export async function findMosaicPhase(
  probe: PhaseProbe,
  near: PlacePixel | null,
  signal: AbortSignal,
): Promise<BlockPhase | null> {
  const atFixed = await phaseAtFixedPlace(probe, signal);
  if (atFixed !== null || near === null) return atFixed;
  return phaseAt(probe, near, signal);
}

async function phaseAtFixedPlace(probe: PhaseProbe, signal: AbortSignal): Promise<BlockPhase | null> {
  const places = fixedPlaces(probe);
  let reads = 0;
  for (let from = 0; from < places.length; from += TOGETHER) {
    const some = places.slice(from, from + TOGETHER);
    const stored = await Promise.allSettled(some.map(({ x, y }) => probe.has(x, y, signal)));
    for (const [i, answer] of stored.entries()) {
      if (answer.status === 'rejected') throw answer.reason;
      if (!answer.value) continue;
      const phase = await phaseAt(probe, some[i], signal);
      if (phase !== null) return phase;
      reads += 1;
      if (reads === READS) return null;
    }
  }
  return null;
}

/** A whole pixel of a zone. */
export interface PlacePixel {
  readonly x: number;
  readonly y: number;
}

/** Places spread evenly over the part of the mosaic that lies in the zone, those in its middle first. */
function fixedPlaces({ layout, lattice, reach }: PhaseProbe): PlacePixel[] {
  const epsg = Number(lattice.crs.slice('EPSG:'.length));
  const isNorth = epsg < 32_700;
  const south = Math.max(layout.north - layout.height * layout.pixelHeight, reach[1], isNorth ? 0 : -90);
  const north = Math.min(layout.north, reach[3], isNorth ? 90 : 0);
  const width = Math.min(layout.width * layout.pixelWidth, reach[2] - reach[0]);
  // What reaches around the world lies on both sides of every meridian.
  const offset = width >= 354 ? -180 : fromMeridian(reach[2] - reach[0] > width ? layout.west : reach[0], epsg);
  const west = Math.max(offset, -HALF_ZONE);
  const east = Math.min(offset + width, HALF_ZONE);
  if (!(south < north && west < east)) return [];
  const shares = Array.from({ length: ALONG }, (_, i) => (i + 0.5) / ALONG);
  shares.sort((a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5) || a - b);
  return ACROSS.flatMap((across) =>
    shares.map((along) => {
      const place = toPixel(lattice, meridianOf(epsg) + west + across * (east - west), south + along * (north - south));
      return { x: Math.floor(place.x), y: Math.floor(place.y) };
    }),
  );
}

/** Null where blocks are not clear, or there is too little data to decide. */
async function phaseAt(probe: PhaseProbe, { x, y }: PlacePixel, signal: AbortSignal): Promise<BlockPhase | null> {
  const left = x - SIDE / 2;
  const top = y - SIDE / 2;
  const found = detectBlockPhase(await probe.window(left, top, SIDE, SIDE, signal));
  if (found.confidence < MIN_BLOCK_CONFIDENCE) return null;
  return { x: parity(found.x + left), y: parity(found.y + top), confidence: found.confidence };
}

function parity(pixel: number): 0 | 1 {
  return (pixel & 1) === 0 ? 0 : 1;
}
