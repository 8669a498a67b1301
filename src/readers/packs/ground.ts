import { windowsAround } from '../../geo/features/windows-around.ts';
import { pointInPolygon } from '../../geo/point-in-ring.ts';
import type { Bbox, Shape } from '../../geo/shape.ts';
import type { Coverage } from '../dataset.ts';

/** The ground that a dataset knows. */
export interface Ground {
  /** Whether it knows a place. */
  holds(lon: number, lat: number): boolean;
  /** Whether it knows everything within so many metres of a shape: only then has nothing found a meaning. */
  holdsAround(shape: Shape, withinM: number): boolean;
}

const grounds = new WeakMap<object, Ground>();

/** The ground of a coverage; layers of one pack have the same. */
export function groundOf(coverage: Coverage): Ground {
  const key = 'bbox' in coverage ? coverage.bbox : coverage.polygons;
  let ground = grounds.get(key);
  if (ground === undefined) grounds.set(key, (ground = createGround(coverage)));
  return ground;
}

function createGround(coverage: Coverage): Ground {
  const polygons = 'bbox' in coverage ? [[ringOf(coverage.bbox)]] : coverage.polygons;
  const areas = polygons.map((rings) => ({ rings, box: boundsOf(rings[0]) }));
  // All questions about one facility come one after the other.
  const last = { lon: NaN, lat: NaN, held: false };
  return {
    holds(lon, lat) {
      if (lon === last.lon && lat === last.lat) return last.held;
      last.lon = lon;
      last.lat = lat;
      last.held = areas.some(({ rings, box }) => touches(box, lon, lat) && pointInPolygon(rings, lon, lat));
      return last.held;
    },
    holdsAround(shape, withinM) {
      return windowsAround(shape.bbox, withinM)
        .map(inWorld)
        .every((window) => areas.some(({ rings, box }) => contains(box, window) && holdsWindow(rings, window)));
    },
  };
}

/** Whether a polygon holds a whole box: a corner lies in it and no side of the polygon comes into the box. */
function holdsWindow(rings: readonly Float64Array[], [west, south, east, north]: Bbox): boolean {
  if (!pointInPolygon(rings, (west + east) / 2, (south + north) / 2)) return false;
  for (const ring of rings)
    for (let i = 0; i + 3 < ring.length; i += 2)
      if (entersBox(ring[i], ring[i + 1], ring[i + 2], ring[i + 3], west, south, east, north)) return false;
  return true;
}

/** Whether a side comes into the inside of a box. */
function entersBox(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  west: number,
  south: number,
  east: number,
  north: number,
): boolean {
  let from = 0;
  let to = 1;
  for (const [a, d, low, high] of [
    [ax, bx - ax, west, east],
    [ay, by - ay, south, north],
  ] as const) {
    if (d === 0) {
      if (a <= low || a >= high) return false;
      continue;
    }
    const [first, second] = d > 0 ? [(low - a) / d, (high - a) / d] : [(high - a) / d, (low - a) / d];
    from = Math.max(from, first);
    to = Math.min(to, second);
  }
  return from < to;
}

function touches([west, south, east, north]: Bbox, lon: number, lat: number): boolean {
  return lon >= west && lon <= east && lat >= south && lat <= north;
}

function contains(box: Bbox, [west, south, east, north]: Bbox): boolean {
  return west >= box[0] && east <= box[2] && south >= box[1] && north <= box[3];
}

/** The part of a window that is on earth. */
function inWorld([west, south, east, north]: Bbox): Bbox {
  return [Math.max(-180, west), Math.max(-90, south), Math.min(180, east), Math.min(90, north)];
}

function boundsOf(ring: Float64Array): Bbox {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    box[0] = Math.min(box[0], ring[i]);
    box[1] = Math.min(box[1], ring[i + 1]);
    box[2] = Math.max(box[2], ring[i]);
    box[3] = Math.max(box[3], ring[i + 1]);
  }
  return box;
}

function ringOf([west, south, east, north]: Bbox): Float64Array {
  return Float64Array.of(west, south, east, south, east, north, west, north, west, south);
}
