import type { Crs, Projection } from '../crs/find-crs.ts';
import type { PixelPolygon, PixelWindow } from './cover-pixels.ts';
import { openProjection } from '../crs/open-projection.ts';
import { areaFactor, polygonArea } from '../rings/polygon-area.ts';
import { DEGREE } from '../ellipsoid.ts';

/** Degrees of an edge from which on it bends in a projected raster by more than a part in a hundred of a 10 m pixel. */
const LONGEST_EDGE = 0.002;
/** Most pieces one edge is cut into. */
const MOST_PIECES = 4096;

/** Polygons by their rings, in the grids that they were last wanted in: most maps of a plot share one or two grids. */
const made = new WeakMap<readonly Float64Array[], { readonly grid: PixelGrid; readonly polygon: PixelPolygon }[]>();
/** Grids that a polygon is remembered in. */
const MOST_GRIDS = 4;

/**
 * A polygon in degrees in the pixel space of a grid. Edges are straight in longitude and latitude, as GeoJSON has them; in
 * a projected grid long ones are cut into pieces, each of them straight in pixel space. The same rings, which must not change,
 * give the same polygon on every raster of the grid.
 */
export function toPixelPolygon(rings: readonly Float64Array[], grid: PixelGrid, projection: Projection): PixelPolygon {
  let known = made.get(rings);
  if (known === undefined) made.set(rings, (known = []));
  for (const one of known) if (isSameGrid(one.grid, grid)) return one.polygon;
  const polygon = place(rings, grid, projection);
  if (known.length === MOST_GRIDS) known.shift();
  known.push({ grid, polygon });
  return polygon;
}

/** Whether the pixels of two rasters are the same places. */
export function isSameGrid(one: PixelGrid, other: PixelGrid): boolean {
  if (one === other) return true;
  if (one.crs.code !== other.crs.code) return false;
  for (let i = 0; i < 6; i++) if (one.transform[i] !== other.transform[i]) return false;
  return true;
}

function place(rings: readonly Float64Array[], grid: PixelGrid, projection: Projection): PixelPolygon {
  const [a, , c, , e, f] = grid.transform;
  return rings.map((ring) => {
    if (grid.crs.code !== 4326) return projected(ring, grid, projection);
    const out = new Float64Array(ring.length);
    for (let i = 0; i < ring.length; i += 2) {
      out[i] = (ring[i] - c) / a;
      out[i + 1] = (ring[i + 1] - f) / e;
    }
    return out;
  });
}

function projected(ring: Float64Array, { transform }: PixelGrid, { toXY }: Projection): Float64Array {
  const [a, , c, , e, f] = transform;
  const out: number[] = [];
  const place = new Float64Array(2);
  for (let i = 0; i < ring.length; i += 2) {
    const isLast = i + 2 >= ring.length;
    const [dx, dy] = isLast ? [0, 0] : [ring[i + 2] - ring[i], ring[i + 3] - ring[i + 1]];
    const pieces = Math.min(MOST_PIECES, Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / LONGEST_EDGE)));
    for (let piece = 0; piece < (isLast ? 1 : pieces); piece++) {
      toXY(ring[i] + (dx * piece) / pieces, ring[i + 1] + (dy * piece) / pieces, place, 0);
      out.push((place[0] - c) / a, (place[1] - f) / e);
    }
  }
  return Float64Array.from(out);
}

/** Where a north-up or south-up raster lies: `x = a * column + c`, `y = e * row + f` from pixel corners; `b` and `d` are 0. */
export interface PixelGrid {
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  readonly crs: Crs;
}

/**
 * Square metres on the WGS84 ellipsoid of a pixel in each row of a window. Exact for a raster in degrees; in a projected
 * one it is the geodesic area of the pixel in the middle of the row, which a pixel at the end of a window of 10 km
 * misses by less than 1e-4 in UTM.
 */
export function pixelAreas({ transform, crs }: PixelGrid, { x0, y0, width, height }: PixelWindow): Float64Array {
  const [a, , c, , e, f] = transform;
  const areas = new Float64Array(height);
  if (crs.code === 4326) {
    const factorAt = (row: number): number => areaFactor(Math.sin((e * row + f) * DEGREE));
    for (let row = 0; row < height; row++)
      areas[row] = Math.abs(a * DEGREE * (factorAt(y0 + row + 1) - factorAt(y0 + row)));
    return areas;
  }
  const { toLonLat } = openProjection(crs);
  const left = a * (x0 + (width >> 1)) + c;
  const corners = new Float64Array(8);
  for (let row = 0; row < height; row++) {
    const top = e * (y0 + row) + f;
    toLonLat(left, top, corners, 0);
    toLonLat(left + a, top, corners, 2);
    toLonLat(left + a, top + e, corners, 4);
    toLonLat(left, top + e, corners, 6);
    areas[row] = polygonArea([corners]).area;
  }
  return areas;
}
