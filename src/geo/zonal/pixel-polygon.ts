import type { Projection } from '../crs/projection.ts';
import type { PixelPolygon } from './cover-pixels.ts';
import type { PixelGrid } from './pixel-areas.ts';

/** Degrees of an edge from which on it bends in a projected raster by more than a part in a hundred of a 10 m pixel. */
const LONGEST_EDGE = 0.002;
/** Most pieces one edge is cut into. */
const MOST_PIECES = 4096;

/**
 * A polygon in degrees in the pixel space of a grid. Edges are straight in longitude and latitude, as GeoJSON has them; in
 * a projected grid long ones are cut into pieces, each of them straight in pixel space.
 */
export function toPixelPolygon(rings: readonly Float64Array[], grid: PixelGrid, projection: Projection): PixelPolygon {
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
