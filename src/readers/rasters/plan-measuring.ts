import { toPixelPolygon } from '../../geo/zonal/pixel-polygon.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import type { Pixels } from './encode-row.ts';
import { openUnder } from './open-under.ts';
import { boxOfWindow, PIECE_PIXELS, windowOfBox, windowsOf } from './plan-pieces.ts';
import type { RasterMap } from './raster-map.ts';
import type { RasterTiles } from './raster-tiles.ts';
import type { Piece, PieceRead } from './read-pieces.ts';

/** The pieces of all plots; plots of which a file cannot be opened go to `errors` and have none. */
export async function planMeasuring<P extends Pixels>(
  tiles: RasterTiles,
  frame: RasterMap<P>,
  other: RasterMap<P> | null,
  plots: readonly PlotGround[],
  errors: Map<number, unknown>,
  signal: AbortSignal,
): Promise<Piece<P>[]> {
  const boxes = plots.flatMap(({ parts }) => parts.map(({ bbox }) => bbox));
  const under = await openUnder(tiles, frame, boxes, signal);
  const pieces: Piece<P>[] = [];
  plots.forEach((ground, plot) =>
    noting(errors, plot, () => {
      for (const { rings, bbox } of ground.parts) {
        for (const tile of under(bbox)) {
          const polygon = toPixelPolygon(rings, tile.grid, tile.projection);
          for (const window of windowsOf(polygon, tile.own))
            pieces.push({ plot, polygon, reads: [{ layer: frame.layer, tile, window }] });
        }
      }
    }),
  );
  const planned = other === null ? pieces : await withOther(tiles, other, pieces, errors, signal);
  return errors.size === 0 ? planned : planned.filter(({ plot }) => !errors.has(plot));
}

/** The same pieces with the windows of the other raster under them. */
async function withOther<P extends Pixels>(
  tiles: RasterTiles,
  other: RasterMap<P>,
  pieces: readonly Piece<P>[],
  errors: Map<number, unknown>,
  signal: AbortSignal,
): Promise<Piece<P>[]> {
  const boxes = pieces.map(({ reads: [{ tile, window }] }) => boxOfWindow(tile, window));
  const under = await openUnder(tiles, other, boxes, signal);
  return pieces.map(({ plot, polygon, reads: [own] }, i) => {
    const reads: PieceRead<P>[] = [];
    noting(errors, plot, () => {
      for (const tile of under(boxes[i])) {
        const window = windowOfBox(tile, boxes[i]);
        if (window === null) continue;
        if (window.width * window.height > 64 * PIECE_PIXELS)
          throw new RangeError('its pixels are too small compared with those of the other map');
        reads.push({ layer: other.layer, tile, window });
      }
    });
    return { plot, polygon, reads: [own, ...reads] };
  });
}

function noting(errors: Map<number, unknown>, plot: number, job: () => void): void {
  try {
    job();
  } catch (error) {
    errors.set(plot, error);
  }
}
