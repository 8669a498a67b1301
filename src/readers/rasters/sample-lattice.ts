import type { Bbox } from '../../geo/shapes/shape.ts';
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
      const [a, , c, , e, f] = tile.grid.transform;
      const centres = centresOf(lattice, tile);
      for (let cell = 0; cell < out.length; cell++) {
        const x = Math.floor((centres[2 * cell] - c) / a) - window.x0;
        const y = Math.floor((centres[2 * cell + 1] - f) / e) - window.y0;
        if (x >= 0 && y >= 0 && x < window.width && y < window.height) out[cell] = classes[y * window.width + x];
      }
    },
    fail: ({ plot }, error) => errors.set(plot, error),
  });
  if (errors.size > 0) throw errors.get(0);
  return out;
}

/** Centres of a lattice in the coordinate system that they were last wanted in: one picture samples several maps of one system. */
const known = new WeakMap<Lattice, { readonly code: number; readonly centres: Float64Array }>();

/** X and y of the centre of each cell, in the coordinates of a tile. */
function centresOf(lattice: Lattice, { grid, projection }: Pick<RasterTile, 'grid' | 'projection'>): Float64Array {
  const { code } = grid.crs;
  const before = known.get(lattice);
  if (before?.code === code) return before.centres;
  const { bbox, columns, rows } = lattice;
  const [west, south, east, north] = bbox;
  const centres = new Float64Array(2 * columns * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const lon = west + ((column + 0.5) / columns) * (east - west);
      const lat = north - ((row + 0.5) / rows) * (north - south);
      projection.toXY(lon, lat, centres, 2 * (row * columns + column));
    }
  known.set(lattice, { code, centres });
  return centres;
}
