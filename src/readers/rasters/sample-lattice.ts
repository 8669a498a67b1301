import type { Bbox } from '../../geo/shapes/shape.ts';
import { isSameGrid, type PixelGrid } from '../../geo/zonal/pixel-polygon.ts';
import { NO_CLASS } from '../../geo/zonal/sum-pixels.ts';
import { planMeasuring } from './plan-measuring.ts';
import type { RasterMap, RasterReader } from './raster-map.ts';
import type { RasterTile } from './raster-tiles.ts';
import { readPieces } from './read-pieces.ts';

/** A box in degrees, cut into equal cells that are counted row by row from its north-western corner. */
interface Lattice {
  readonly bbox: Bbox;
  readonly columns: number;
  readonly rows: number;
}

/** Pixels that one picture may read: beyond, a map is too fine for the box. */
const MOST_PIXELS = 4_000_000;

/**
 * The class that a map has at the centre of each cell of a lattice; `NO_CLASS` where it says nothing. The pixel under the centre is
 * taken as it is, so that nothing is drawn that is not in the map.
 * @throws RangeError for a box of more pixels than a picture is worth; whatever a file that cannot be read is refused with.
 */
export async function sampleLattice(
  { tiles, memory }: RasterReader,
  map: RasterMap<Uint8Array>,
  lattice: Lattice,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { bbox, columns, rows } = lattice;
  const [west, south, east, north] = bbox;
  const ring = Float64Array.of(west, south, east, south, east, north, west, north, west, south);
  const errors = new Map<number, unknown>();
  const ground = { kind: 'polygon', parts: [{ rings: [ring], bbox }], areaHa: 0 } as const;
  const pieces = await planMeasuring(tiles, map, null, [ground], errors, signal);
  const pixels = pieces.reduce((sum, { reads: [{ window }] }) => sum + window.width * window.height, 0);
  if (pixels > MOST_PIXELS) throw new RangeError(`${pixels} pixels of ${map.layer.id} are too many for a picture`);
  const out = new Uint8Array(columns * rows).fill(NO_CLASS);
  await readPieces(pieces, memory, signal, {
    measure({ reads: [{ tile, window }] }, [classes]) {
      const places = placesOf(lattice, tile);
      const { x0, y0, width, height } = window;
      for (let cell = 0; cell < out.length; cell++) {
        const x = places[2 * cell] - x0;
        const y = places[2 * cell + 1] - y0;
        if (x >= 0 && y >= 0 && x < width && y < height) out[cell] = classes[y * width + x];
      }
    },
    fail: ({ plot }, error) => errors.set(plot, error),
  });
  if (errors.size > 0) throw errors.get(0);
  return out;
}

/**
 * Cells from one centre that is projected to the next; those between them lie on straight lines. A line over 8 cells of 10 m is bent by less
 * than a millimetre, one over 8 cells of a box of a degree by less than a hundredth of a cell.
 */
const STEP = 8;
/** Degrees of the widest box that is drawn so: within it no system of coordinates turns round. */
const MOST_BENT = 1;

/** What a lattice was last wanted as: one picture samples several maps of one system of coordinates, and most of them have the same pixels. */
interface Placed {
  readonly code: number;
  readonly centres: Float64Array;
  grid: PixelGrid | null;
  readonly places: Int32Array;
}

const known = new WeakMap<Lattice, Placed>();

/** Column and row of the pixel under the centre of each cell, counted over all of the grid of a tile. */
function placesOf(lattice: Lattice, tile: Pick<RasterTile, 'grid' | 'projection'>): Int32Array {
  const { grid } = tile;
  let placed = known.get(lattice);
  if (placed?.code !== grid.crs.code) {
    const centres = centresOf(lattice, tile);
    placed = { code: grid.crs.code, centres, grid: null, places: new Int32Array(centres.length) };
    known.set(lattice, placed);
  }
  const { centres, places } = placed;
  if (placed.grid !== null && isSameGrid(placed.grid, grid)) return places;
  const [a, , c, , e, f] = grid.transform;
  for (let i = 0; i < places.length; i += 2) {
    places[i] = Math.floor((centres[i] - c) / a);
    places[i + 1] = Math.floor((centres[i + 1] - f) / e);
  }
  placed.grid = grid;
  return places;
}

/** X and y of the centre of each cell, in the coordinates of a tile. */
function centresOf(lattice: Lattice, { projection }: Pick<RasterTile, 'projection'>): Float64Array {
  const { bbox, columns, rows } = lattice;
  const [west, south, east, north] = bbox;
  const centres = new Float64Array(2 * columns * rows);
  const isSmall = east - west < MOST_BENT && north - south < MOST_BENT;
  const step = isSmall ? STEP : 1;
  const at = (row: number, column: number): number => 2 * (row * columns + column);
  const lastRow = rows - 1;
  const lastColumn = columns - 1;
  for (let row = 0; ; row = Math.min(row + step, lastRow)) {
    for (let column = 0; ; column = Math.min(column + step, lastColumn)) {
      const lon = west + ((column + 0.5) / columns) * (east - west);
      const lat = north - ((row + 0.5) / rows) * (north - south);
      projection.toXY(lon, lat, centres, at(row, column));
      if (column === lastColumn) break;
    }
    for (let column = 0; column < lastColumn; column += step)
      between(centres, at(row, column), at(row, Math.min(column + step, lastColumn)), 2);
    if (row === lastRow) break;
  }
  for (let row = 0; row < lastRow; row += step)
    for (let column = 0; column < columns; column++)
      between(centres, at(row, column), at(Math.min(row + step, lastRow), column), 2 * columns);
  return centres;
}

/** Fills the points on the line between two that are known, `stride` numbers from one to the next. */
function between(points: Float64Array, from: number, to: number, stride: number): void {
  const count = (to - from) / stride;
  const dx = (points[to] - points[from]) / count;
  const dy = (points[to + 1] - points[from + 1]) / count;
  for (let i = 1; i < count; i++) {
    points[from + i * stride] = points[from] + i * dx;
    points[from + i * stride + 1] = points[from + 1] + i * dy;
  }
}
