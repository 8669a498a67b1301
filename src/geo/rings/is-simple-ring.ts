import { orient2d } from 'robust-predicates';

/** Vertices up to which comparing all pairs of edges is quicker than a sweep. */
const MOST_VERTICES = 64;

/**
 * Whether a closed flat ring `[x0, y0, x1, y1, ..., x0, y0]` of few vertices is shown to be simple by comparing all pairs of its
 * edges, which needs no memory. Every decision is taken on the exact sign of a determinant. False says nothing: of rings of many
 * vertices, with repeated vertices or with three in a row on a line, `findRingFault` decides.
 */
export function isSimpleRing(ring: Float64Array): boolean {
  const end = ring.length - 2;
  if (end < 6 || end > 2 * MOST_VERTICES || ring[0] !== ring[end] || ring[1] !== ring[end + 1]) return false;
  for (let i = 0; i < end; i += 2) {
    const [ax, ay, bx, by] = [ring[i], ring[i + 1], ring[i + 2], ring[i + 3]];
    const after = i + 4 < ring.length ? i + 4 : 2;
    // An edge and the next have more than their vertex in common only on one line; an edge without length lies on every line.
    if (!(orient2d(ax, ay, bx, by, ring[after], ring[after + 1]) !== 0)) return false;
    const [west, east] = ax < bx ? [ax, bx] : [bx, ax];
    const [south, north] = ay < by ? [ay, by] : [by, ay];
    // The last edge is the neighbour of the first.
    const last = i === 0 ? end - 2 : end;
    for (let j = i + 4; j < last; j += 2) {
      const [cx, cy, dx, dy] = [ring[j], ring[j + 1], ring[j + 2], ring[j + 3]];
      if ((cx < west && dx < west) || (cx > east && dx > east)) continue;
      if ((cy < south && dy < south) || (cy > north && dy > north)) continue;
      if (isOneSided(ax, ay, bx, by, cx, cy, dx, dy) || isOneSided(cx, cy, dx, dy, ax, ay, bx, by)) continue;
      return false;
    }
  }
  return true;
}

/** Whether both points lie on the same side of a line, and none of them on it. */
function isOneSided(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  return orient2d(ax, ay, bx, by, cx, cy) * orient2d(ax, ay, bx, by, dx, dy) > 0;
}
