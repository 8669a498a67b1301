import { toPixelPolygon } from '../../geo/zonal/pixel-polygon.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import type { Pixels } from './encode-row.ts';
import { openUnder, type RasterMap } from './raster-map.ts';
import type { RasterTile, RasterTiles } from './raster-tiles.ts';
import type { Piece, PieceRead } from './read-pieces.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { PixelPolygon, PixelWindow } from '../../geo/zonal/cover-pixels.ts';

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

/** Most pixels that are weighed at once: 8 MB of weights. */
const PIECE_PIXELS = 2 ** 20;

/** The windows of a tile that a polygon in its pixel space needs, by bands of rows none of which is larger than a piece. */
export function windowsOf(polygon: PixelPolygon, own: PixelWindow): PixelWindow[] {
  const bounds = clip(boundsOf(polygon[0] ?? new Float64Array(0)), own);
  if (bounds === null) return [];
  const { x0, y0, width, height } = bounds;
  const rows = Math.max(1, Math.floor(PIECE_PIXELS / width));
  const windows: PixelWindow[] = [];
  for (let row = 0; row < height; row += rows)
    windows.push({ x0, y0: y0 + row, width, height: Math.min(rows, height - row) });
  return windows;
}

/** The pixels of a tile that hold a box in degrees, one pixel around it included; null: none. */
function windowOfBox({ grid, projection, own }: RasterTile, [west, south, east, north]: Bbox): PixelWindow | null {
  const [a, , c, , e, f] = grid.transform;
  const corners = new Float64Array(18);
  let at = 0;
  for (const lon of [west, (west + east) / 2, east])
    for (const lat of [south, (south + north) / 2, north]) projection.toXY(lon, lat, corners, 2 * at++);
  for (let i = 0; i < corners.length; i += 2) {
    corners[i] = (corners[i] - c) / a;
    corners[i + 1] = (corners[i + 1] - f) / e;
  }
  const { x0, y0, width, height } = boundsOf(corners);
  return clip({ x0: x0 - 1, y0: y0 - 1, width: width + 2, height: height + 2 }, own);
}

/** A box in degrees that holds the pixels of a window. */
function boxOfWindow({ grid, projection }: RasterTile, { x0, y0, width, height }: PixelWindow): Bbox {
  const [a, , c, , e, f] = grid.transform;
  const place = new Float64Array(2);
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const column of [x0, x0 + width / 2, x0 + width]) {
    for (const row of [y0, y0 + height / 2, y0 + height]) {
      projection.toLonLat(a * column + c, e * row + f, place, 0);
      west = Math.min(west, place[0]);
      east = Math.max(east, place[0]);
      south = Math.min(south, place[1]);
      north = Math.max(north, place[1]);
    }
  }
  return [west, south, east, north];
}

function boundsOf(places: Float64Array): PixelWindow {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; i += 2) {
    if (places[i] < left) left = places[i];
    if (places[i] > right) right = places[i];
    if (places[i + 1] < top) top = places[i + 1];
    if (places[i + 1] > bottom) bottom = places[i + 1];
  }
  const [x0, y0] = [Math.floor(left), Math.floor(top)];
  return { x0, y0, width: Math.ceil(right) - x0, height: Math.ceil(bottom) - y0 };
}

/** Null when nothing is left, or a place had no number: outside the reach of a projection. */
function clip({ x0, y0, width, height }: PixelWindow, own: PixelWindow): PixelWindow | null {
  const left = Math.max(x0, own.x0);
  const top = Math.max(y0, own.y0);
  const right = Math.min(x0 + width, own.x0 + own.width);
  const bottom = Math.min(y0 + height, own.y0 + own.height);
  return right > left && bottom > top ? { x0: left, y0: top, width: right - left, height: bottom - top } : null;
}
