/** A ring or line: x and y in turn, in thousandths of a degree; a ring has its first vertex again at the end. */
export type Vertices = Int32Array | readonly number[];

/** West, south, east and north of vertices. */
export function boxOfVertices(vertices: Vertices): readonly [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i += 2) {
    const [x, y] = [vertices[i], vertices[i + 1]];
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  return [west, south, east, north];
}

/**
 * The part of a ring where `sign * (coordinate - edge) >= 0` on one axis (0 is x), after Sutherland and Hodgman: parts that the
 * cut takes from one another stay joined along the edge, where a fill does not show it. Empty when nothing is left.
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
