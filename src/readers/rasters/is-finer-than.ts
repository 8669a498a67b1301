import { pixelAreas } from '../../geo/zonal/pixel-polygon.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { openUnder, orNull } from './open-under.ts';
import type { RasterMap, RasterReader } from './raster-map.ts';
import type { RasterTile } from './raster-tiles.ts';

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
