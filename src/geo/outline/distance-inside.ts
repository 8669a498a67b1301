import { metresPerDegreeEast, metresPerDegreeNorth } from '../local-metric.ts';
import type { LonLat } from '../shapes/shape.ts';
import type { Rings } from './rings.ts';

/** Where a point lies to the boundary of a polygon. */
interface BoundaryDistance {
  /** Metres to the nearest edge; negative when the point is outside the exterior or inside a hole. */
  readonly inside: number;
  /** Ring of the nearest edge. */
  readonly ring: number;
  /** Vertex at which the nearest edge starts. */
  readonly vertex: number;
}

/**
 * How deep a point lies inside a polygon of short edges near it, by even-odd crossing and planar distance in local
 * metres. Longitudes of point and rings must not be a turn apart.
 */
export function distanceInside({ coords, starts }: Rings, [lon, lat]: LonLat): BoundaryDistance {
  const east = metresPerDegreeEast(lat);
  const north = metresPerDegreeNorth(lat);
  let odd = false;
  let nearest2 = Infinity;
  let ring = 0;
  let vertex = 0;
  for (let r = 0; r + 1 < starts.length; r++) {
    const last = starts[r + 1] - 1;
    let x0 = (coords[2 * last] - lon) * east;
    let y0 = (coords[2 * last + 1] - lat) * north;
    for (let v = starts[r], before = last; v <= last; before = v++) {
      const x1 = (coords[2 * v] - lon) * east;
      const y1 = (coords[2 * v + 1] - lat) * north;
      const dx = x1 - x0;
      const dy = y1 - y0;
      // The edge crosses the ray to the east: in the half-open sense, so that a vertex counts once.
      if (y0 > 0 !== y1 > 0 && x0 * dy - y0 * dx > 0 === dy > 0) odd = !odd;
      const length2 = dx * dx + dy * dy;
      const share = length2 > 0 ? Math.min(1, Math.max(0, -(x0 * dx + y0 * dy) / length2)) : 0;
      const px = x0 + share * dx;
      const py = y0 + share * dy;
      const distance2 = px * px + py * py;
      if (distance2 < nearest2) {
        nearest2 = distance2;
        ring = r;
        vertex = before;
      }
      x0 = x1;
      y0 = y1;
    }
  }
  const distance = Math.sqrt(nearest2);
  return { inside: odd ? distance : -distance, ring, vertex };
}
