import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import type { LonLat } from '../shapes/shape.ts';
import type { Rings } from './rings.ts';

/** Times a boundary is pushed back: a point at the corner of four cells can lie on two rings, each with two edges. */
const PUSHES = 6;

/**
 * Pushes the boundary of a polygon away from a point on or within centimetres of it, until the point lies at least `depth`
 * metres inside: a dent of a few centimetres in the middle of an edge, or a corner moved that much. Returns new rings, or
 * null when the point stays out.
 *
 * @param rings longitude, latitude in degrees, the inside of the polygon on the right.
 */
export function includePoint(rings: Rings, point: LonLat, depth: number): Rings | null {
  let pushed = rings;
  for (let push = 0; push <= PUSHES; push++) {
    const { inside, ring, vertex } = distanceInside(pushed, point);
    if (inside >= depth) return pushed;
    pushed = pushBack(pushed, point, ring, vertex, depth);
  }
  return null;
}

/** Replaces the edge that starts at `vertex` by one around the point. Local metres, the point at 0, 0. */
function pushBack(rings: Rings, [lon, lat]: LonLat, ring: number, vertex: number, depth: number): Rings {
  const { coords, starts } = rings;
  const east = metresPerDegreeEast(lat);
  const north = metresPerDegreeNorth(lat);
  const first = starts[ring];
  const count = starts[ring + 1] - first;
  const at = (v: number): readonly [x: number, y: number] => {
    const w = first + ((((v - first) % count) + count) % count);
    return [(coords[2 * w] - lon) * east, (coords[2 * w + 1] - lat) * north];
  };
  const a = at(vertex);
  const b = at(vertex + 1);
  const u = unit(b[0] - a[0], b[1] - a[1]);
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const foot = -(a[0] * u[0] + a[1] * u[1]);
  // Twice the depth, so that the flanks of the dent are far enough from the point too.
  const reach = 2 * depth;
  const width = 2 * reach;
  if (foot > width && foot < length - width) {
    const dent = [
      [a[0] + u[0] * (foot - width), a[1] + u[1] * (foot - width)],
      [-u[1] * reach, u[0] * reach],
      [a[0] + u[0] * (foot + width), a[1] + u[1] * (foot + width)],
    ];
    return splice(
      rings,
      ring,
      vertex + 1,
      0,
      dent.map(([x, y]) => [lon + x / east, lat + y / north]),
    );
  }
  const corner = foot <= width ? vertex : vertex + 1;
  const [before, here, after] = [at(corner - 1), at(corner), at(corner + 1)];
  const into = unit(here[0] - before[0], here[1] - before[1]);
  const away = unit(after[0] - here[0], after[1] - here[1]);
  const out = unit(-into[1] - away[1], into[0] + away[0]);
  const place = [lon + (out[0] * reach) / east, lat + (out[1] * reach) / north];
  return splice(rings, ring, first + ((((corner - first) % count) + count) % count), 1, [place]);
}

/** Vertices of one ring replaced by others. */
function splice({ coords, starts }: Rings, ring: number, vertex: number, removed: number, added: number[][]): Rings {
  const change = added.length - removed;
  const out = new Float64Array(coords.length + 2 * change);
  out.set(coords.subarray(0, 2 * vertex));
  out.set(added.flat(), 2 * vertex);
  out.set(coords.subarray(2 * (vertex + removed)), 2 * (vertex + added.length));
  return { coords: out, starts: starts.map((start, r) => (r > ring ? start + change : start)) };
}

function unit(x: number, y: number): readonly [x: number, y: number] {
  const length = Math.hypot(x, y);
  return length > 0 ? [x / length, y / length] : [0, 0];
}

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
