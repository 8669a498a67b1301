import type { Polygon, Position } from '../geometry.ts';
import type { Rings } from './rings.ts';

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
