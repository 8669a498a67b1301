import type { Bbox } from '../../geo/shapes/shape.ts';
import type { RasterMap } from './raster-map.ts';
import { tilesAt, type RasterTile, type RasterTiles } from './raster-tiles.ts';
import type { TileRef } from './tile-template.ts';

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
export function orNull<T>(job: () => T): T | null {
  try {
    return job();
  } catch {
    return null;
  }
}
