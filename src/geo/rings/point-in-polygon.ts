import { orient2d } from 'robust-predicates';

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

/**
 * Whether a point lies inside a closed ring `[x0, y0, x1, y1, ..., x0, y0]`, by the even-odd rule.
 *
 * Boundary rule: a point on the ring belongs to exactly one of two rings that share the edge it lies on, whichever way each
 * of them runs, so neighbours never both hold it and never both miss it. Lower edges of an axis-parallel box are inside,
 * upper ones outside. Rounds, and so cannot decide what lies on a boundary: that is `locateInPolygon`.
 */
export function pointInRing(ring: ArrayLike<number>, x: number, y: number): boolean {
  let inside = false;
  const end = ring.length - 2;
  for (let i = 0; i < end; i += 2) {
    const ay = ring[i + 1];
    const by = ring[i + 3];
    if (ay > y === by > y) continue;
    if (isLeftOf(x, y, ring[i], ay, ring[i + 2], by)) inside = !inside;
  }
  return inside;
}

/** Whether a point lies in the exterior ring of a polygon and in none of its holes; boundary rule of `pointInRing`. */
export function pointInPolygon(rings: readonly ArrayLike<number>[], x: number, y: number): boolean {
  let inside = false;
  for (const ring of rings) if (pointInRing(ring, x, y)) inside = !inside;
  return inside;
}

/**
 * Whether the point lies strictly left (west) of the line through an edge that is not horizontal. The edge is always
 * looked at upwards, so both rings that share it get the same answer down to the last bit.
 */
export function isLeftOf(x: number, y: number, ax: number, ay: number, bx: number, by: number): boolean {
  return ay < by ? (bx - ax) * (y - ay) > (x - ax) * (by - ay) : (ax - bx) * (y - by) > (x - bx) * (ay - by);
}

/**
 * On which side of the directed line a -> b the point c lies: 1 left, -1 right, 0 exactly on the line. The sign is exact
 * where products of differences do not underflow, which is everywhere on Earth in degrees or metres.
 */
export function orientation(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): -1 | 0 | 1 {
  // Its y axis points down, so its sign is the other way round.
  const side = orient2d(ax, ay, bx, by, cx, cy);
  return side < 0 ? 1 : side > 0 ? -1 : 0;
}
