import { orientation } from './exact-orientation.ts';

/** Where a point lies in relation to an area. */
export type PointLocation = 'inside' | 'boundary' | 'outside';

/**
 * Where a point lies in relation to a polygon, by the even-odd rule over all of its rings, decided on the exact sign of
 * determinants: a vertex, and a point exactly on an edge, is `boundary`, a point one last bit next to it is not. Where every
 * place has to belong to exactly one of neighbouring rings, and quickly, see `pointInRing`.
 *
 * @param rings exterior and holes, flat `[x0, y0, x1, y1, ...]`, closed, finite, in either direction.
 */
export function locateInPolygon(rings: readonly ArrayLike<number>[], x: number, y: number): PointLocation {
  let inside = false;
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [ax, ay, bx, by] = [ring[i], ring[i + 1], ring[i + 2], ring[i + 3]];
      if ((ay < y && by < y) || (ay > y && by > y) || (ax < x && bx < x)) continue;
      if (ay === y && by === y) {
        if (x >= Math.min(ax, bx) && x <= Math.max(ax, bx)) return 'boundary';
        continue;
      }
      const upwards = ay < by;
      const side = upwards ? orientation(ax, ay, bx, by, x, y) : orientation(bx, by, ax, ay, x, y);
      if (side === 0) return 'boundary';
      // Left of an edge that goes over the height of the point; of a vertex at that height one of its two edges counts.
      if (side > 0 && ay > y !== by > y) inside = !inside;
    }
  }
  return inside ? 'inside' : 'outside';
}

/** The same for several polygons: inside any, else on the boundary of any. */
export function locateInPolygons(
  polygons: readonly (readonly ArrayLike<number>[])[],
  x: number,
  y: number,
): PointLocation {
  let best: PointLocation = 'outside';
  for (const rings of polygons) {
    const place = locateInPolygon(rings, x, y);
    if (place === 'inside') return 'inside';
    if (place === 'boundary') best = 'boundary';
  }
  return best;
}
