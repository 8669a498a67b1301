/** A ring or line: x and y in turn, whole units; a ring has its first vertex again at the end. */
export type Vertices = Int32Array | readonly number[];

/** West, north, east and south, as far as y runs down. */
export type Box = readonly [minX: number, minY: number, maxX: number, maxY: number];

export function boxOfVertices(vertices: Vertices): Box {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i += 2) {
    const [x, y] = [vertices[i], vertices[i + 1]];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return [minX, minY, maxX, maxY];
}

/**
 * The part of a ring where `sign * (coordinate - edge) >= 0` on one axis (0 is x), after Sutherland and Hodgman: parts that the
 * cut takes from one another stay joined along the edge. Empty when nothing is left.
 */
export function clipRing(ring: Vertices, axis: 0 | 1, edge: number, sign: 1 | -1): Vertices {
  const out: number[] = [];
  const other = 1 - axis;
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const a = sign * (ring[i + axis] - edge);
    const b = sign * (ring[i + 2 + axis] - edge);
    if (a >= 0) out.push(ring[i], ring[i + 1]);
    if (a >= 0 === b >= 0) continue;
    const crossing = Math.round(ring[i + other] + (a / (a - b)) * (ring[i + 2 + other] - ring[i + other]));
    if (axis === 0) out.push(edge, crossing);
    else out.push(crossing, edge);
  }
  if (out.length < 6) return [];
  out.push(out[0], out[1]);
  return out;
}

/** The part of a ring in a box. */
export function clipToBox(ring: Vertices, [minX, minY, maxX, maxY]: Box): Vertices {
  const [west, north, east, south] = boxOfVertices(ring);
  let part = ring;
  if (west < minX) part = clipRing(part, 0, minX, 1);
  if (east > maxX) part = clipRing(part, 0, maxX, -1);
  if (north < minY) part = clipRing(part, 1, minY, 1);
  if (south > maxY) part = clipRing(part, 1, maxY, -1);
  return part;
}
