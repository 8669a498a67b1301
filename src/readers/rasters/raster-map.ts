import type { Pixels } from './encode-row.ts';
import type { RasterLayer } from './read-pieces.ts';
import type { RasterPlace, RasterSpec } from './raster-spec.ts';
import { type RasterTile, type RasterTiles, tilesAt } from './raster-tiles.ts';
import type { SampleMemory } from './sample-memory.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { TileRef } from './tile-template.ts';
import { pixelAreas } from '../../geo/zonal/pixel-polygon.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';

/** One map of a raster, ready to be measured on. */
export interface RasterMap<P extends Pixels = Pixels> {
  readonly spec: RasterSpec;
  readonly place: RasterPlace;
  readonly layer: RasterLayer<P>;
}

/** What all measuring of one thread shares. */
export interface RasterReader {
  readonly tiles: RasterTiles;
  readonly memory: SampleMemory;
}

/**
 * Opens every file of a map that lies under some boxes in degrees, each once. Gives the files under one of them that are there, and
 * throws why one could not be opened.
 */
export async function openUnder(
  tiles: RasterTiles,
  { spec, place }: RasterMap,
  boxes: readonly Bbox[],
  signal: AbortSignal,
): Promise<(box: Bbox) => readonly RasterTile[]> {
  const refs = new Map<string, TileRef>();
  // A box on too many files is refused where its plot is planned.
  for (const box of boxes) for (const ref of orNull(() => tilesAt(place, box)) ?? []) refs.set(ref.address, ref);
  const names = [...refs.keys()];
  const settled = await Promise.allSettled([...refs.values()].map((ref) => tiles.open(spec, place, ref, signal)));
  signal.throwIfAborted();
  const opened = new Map(settled.map((result, i) => [names[i], result]));
  return (box) =>
    tilesAt(place, box).flatMap(({ address }) => {
      const result = opened.get(address);
      if (result?.status === 'rejected') throw result.reason;
      return result?.value ? [result.value] : [];
    });
}

/** What a job gives; null when it throws, which whoever needs it meets again. */
function orNull<T>(job: () => T): T | null {
  try {
    return job();
  } catch {
    return null;
  }
}

/** Whether the pixels of one map are smaller than, or as large as, those of another, at the first plot that has both; true when none has. */
export async function isFinerThan(
  { tiles }: RasterReader,
  map: RasterMap,
  other: RasterMap,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<boolean> {
  const boxes = plots.flatMap(({ parts }) => parts.slice(0, 1).map(({ bbox }) => bbox));
  const [under, underOther] = [
    await openUnder(tiles, map, boxes, signal),
    await openUnder(tiles, other, boxes, signal),
  ];
  for (const box of boxes) {
    const [one, another] = orNull(() => [under(box)[0], underOther(box)[0]]) ?? [];
    if (one && another) return pixelArea(one) <= pixelArea(another) * (1 + 1e-6);
  }
  return true;
}

/** Square metres of a pixel in the middle of a file. */
function pixelArea({ grid, image }: RasterTile): number {
  const [area] = pixelAreas(grid, { x0: image.width >> 1, y0: image.height >> 1, width: 1, height: 1 });
  return area;
}
