import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import type { Projection } from '../crs/find-crs.ts';
import { utmProjection, utmZoneOfEpsg } from '../crs/utm.ts';

/**
 * Where the cells of a raster lie, whatever window of it was read: corner (column, row) is at
 * `x = originX + column * cellWidth`, `y = originY - row * cellHeight` in units of `crs`. Columns run east, rows
 * south, and the origin lies within one cell of x = 0, y = 0, so that one place has one column and row in all windows.
 */
export interface Lattice {
  /** `EPSG:4326` or a UTM zone on WGS84, `EPSG:32601` to `EPSG:32660` and `EPSG:32701` to `EPSG:32760`. */
  readonly crs: string;
  readonly originX: number;
  readonly originY: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** A lattice and the column and row of one raster's first corner on it. */
export interface LatticePlace {
  readonly lattice: Lattice;
  readonly column: number;
  readonly row: number;
}

/** Phases are distinguished down to this share of a cell: 10 micrometres for a cell of 10 m. */
const PHASES = 1e6;

/**
 * Finds the lattice of a north-up raster from its transform `[a, b, c, d, e, f]`: `x = a * column + c`,
 * `y = e * row + f`. Throws a RangeError for a rotated or bottom-up raster.
 */
export function placeOnLattice(transform: readonly number[], crs: string): LatticePlace {
  const [a, b, c, d, e, f] = transform;
  if (!(a > 0 && e < 0 && b === 0 && d === 0 && Number.isFinite(c) && Number.isFinite(f))) {
    throw new RangeError(`wanted a north-up transform [+, 0, x, 0, -, y], got [${transform.join(', ')}]`);
  }
  const horizontal = fold(c, a);
  const vertical = fold(-f, -e);
  const lattice = {
    crs,
    originX: horizontal.phase * a,
    originY: vertical.phase * e,
    cellWidth: a,
    cellHeight: -e,
  };
  return { lattice, column: horizontal.cells, row: vertical.cells };
}

/** The projection of a lattice, both ways. Throws a RangeError for a CRS that no raster of segments has. */
export function latticeProjection(crs: string): Projection {
  if (crs === 'EPSG:4326') return DEGREES;
  const zone = utmZoneOfEpsg(Number(/^EPSG:(\d{5})$/.exec(crs)?.[1]));
  if (!zone) throw new RangeError(`wanted a raster in EPSG:4326 or a WGS84 UTM zone, got ${crs}`);
  return utmProjection(zone.zone, zone.north);
}

/** Width and height of a cell in metres near a row. Grid metres of UTM are taken as they are (0.04 % off at most). */
export function cellMetres(lattice: Lattice, row: number): { readonly width: number; readonly height: number } {
  if (lattice.crs !== 'EPSG:4326') return { width: lattice.cellWidth, height: lattice.cellHeight };
  const lat = lattice.originY - row * lattice.cellHeight;
  return {
    width: lattice.cellWidth * metresPerDegreeEast(lat),
    height: lattice.cellHeight * metresPerDegreeNorth(lat),
  };
}

const DEGREES: Projection = { toXY: copy, toLonLat: copy };

function copy(x: number, y: number, out: Float64Array, at: number): void {
  out[at] = x;
  out[at + 1] = y;
}

/** `value / cell` as whole cells and a rest of 0 up to 1 that is the same for every window of one raster. */
function fold(value: number, cell: number): { readonly cells: number; readonly phase: number } {
  const cells = Math.floor(value / cell + 0.5 / PHASES);
  return { cells, phase: Math.max(0, Math.round((value / cell - cells) * PHASES)) / PHASES };
}
