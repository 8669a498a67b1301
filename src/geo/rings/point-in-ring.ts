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
