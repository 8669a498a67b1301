import type { Polygon, Position } from '../geometry.ts';

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

/** The rings that `toPolygon` made a polygon of, vertex by vertex. */
export function toRings({ coordinates }: Polygon): Rings {
  const coords: number[] = [];
  const starts = [0];
  for (const ring of coordinates) {
    for (let v = ring.length - 1; v > 0; v--) coords.push(ring[v][0], ring[v][1]);
    starts.push(coords.length / 2);
  }
  return { coords: Float64Array.from(coords), starts: Int32Array.from(starts) };
}

/**
 * A GeoJSON polygon of rings that have the inside on the right: turned round, so that the exterior is counter-clockwise
 * and the holes are clockwise (RFC 7946), and closed.
 */
export function toPolygon({ coords, starts }: Rings): Polygon {
  const rings: Position[][] = [];
  for (let r = 0; r + 1 < starts.length; r++) {
    const ring: Position[] = [[coords[2 * starts[r]], coords[2 * starts[r] + 1]]];
    for (let v = starts[r + 1] - 1; v >= starts[r]; v--) ring.push([coords[2 * v], coords[2 * v + 1]]);
    rings.push(ring);
  }
  return { type: 'Polygon', coordinates: rings };
}
