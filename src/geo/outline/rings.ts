/**
 * Rings laid out flat: ring r has the vertices `starts[r]` up to, not including, `starts[r + 1]`; vertex v is at
 * `coords[2 * v]`, `coords[2 * v + 1]`. Rings are open: the first vertex is not repeated. In the rings of one polygon
 * ring 0 is the exterior and the others are its holes, and every ring keeps the inside of the polygon on the same hand.
 */
export interface Rings<Coords extends Int32Array | Float64Array = Float64Array> {
  readonly coords: Coords;
  /** One entry more than there are rings. */
  readonly starts: Int32Array;
}

/** The coordinates of each ring as a view into the flat ones. */
export function ringViews(rings: Rings): Float64Array[] {
  const views: Float64Array[] = [];
  for (let r = 0; r + 1 < rings.starts.length; r++) {
    views.push(rings.coords.subarray(rings.starts[r] * 2, rings.starts[r + 1] * 2));
  }
  return views;
}
