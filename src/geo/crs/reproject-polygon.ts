import type { Polygon, Position } from '../geometry.ts';
import type { Crs, Projection } from './find-crs.ts';
import { openProjection } from './open-projection.ts';

/** A tenth of a millimetre in degrees and in metres (feet are near enough). */
const DECIMALS = { degrees: 9, lengths: 4 } as const;

/** Degrees by which the way there and back may miss: a metre. A projection used far outside its reach misses by more. */
const RETURN_MISS = 1e-5;

/** No place of the earth has a larger coordinate in any unit in use; NaN is not smaller either. */
const FARTHEST = 1e9;

/**
 * A straight edge in degrees bends in a projection, by several metres where it is 10 km long; what lies within
 * centimetres of it, as the point of a lookup may, would change sides. It is halved until it bends by less than this: a
 * millimetre, in units of the last decimal that is kept.
 */
const MAX_BEND = 10;

/** Degrees, along both axes, below which an edge is not halved: 100 m bend by a millimetre at most. */
const STRAIGHT = 1e-3;

/** A short edge that grows longer than this is torn, as at the antimeridian in Mercator: 100 km or a degree, in the same units. */
const TORN = 1e9;

/**
 * A polygon in longitude, latitude on WGS84 taken to another CRS; x (easting) stays first and the exterior stays
 * counter-clockwise. Long edges that the projection bends get vertices between their ends, the same in both directions,
 * so that neighbours still meet. Null when a vertex lies outside the reach of the projection, or the polygon on both sides
 * of where it ends.
 */
export function reprojectPolygon(polygon: Polygon, crs: Crs): Polygon | null {
  if (crs.code === 4326) return polygon;
  const projection = openProjection(crs);
  const unit = 10 ** (crs.definition.includes('+proj=longlat') ? DECIMALS.degrees : DECIMALS.lengths);
  const rings: Position[][] = [];
  for (const ring of polygon.coordinates) {
    const projected = projectRing(ring, projection, unit);
    if (projected === null) return null;
    rings.push(projected.map(([x, y]): Position => [Math.round(x * unit) / unit, Math.round(y * unit) / unit]));
  }
  return {
    type: 'Polygon',
    coordinates: isCounterClockwise(rings[0]) ? rings : rings.map((ring) => ring.toReversed()),
  };
}

/** `unit`: how many of the last decimal make one. */
function projectRing(ring: readonly Position[], projection: Projection, unit: number): Position[] | null {
  const first = project(ring[0], projection);
  if (first === null || !comesBack(first, ring[0], projection)) return null;
  const out = [first];
  for (let v = 1; v < ring.length; v++) {
    const place = project(ring[v], projection);
    if (place === null || !halve(ring[v - 1], ring[v], out[out.length - 1], place)) return null;
    out.push(place);
  }
  return out;

  /** Adds places between two vertices until none of the edges bends. False when one is out of reach or torn. */
  function halve(from: Position, to: Position, start: Position, end: Position): boolean {
    if (Math.abs(to[0] - from[0]) < STRAIGHT && Math.abs(to[1] - from[1]) < STRAIGHT) {
      return Math.abs(end[0] - start[0]) < TORN / unit && Math.abs(end[1] - start[1]) < TORN / unit;
    }
    const middle: Position = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    const place = project(middle, projection);
    if (place === null) return false;
    if (distanceToEdge(place, start, end) <= MAX_BEND / unit) return true;
    if (!halve(from, middle, start, place)) return false;
    out.push(place);
    return halve(middle, to, place, end);
  }
}

/** Written and read at once. */
const pair = new Float64Array(2);

/** Null where the projection does not reach. */
function project([lon, lat]: Position, { toXY }: Projection): Position | null {
  toXY(lon, lat, pair, 0);
  return Math.abs(pair[0]) < FARTHEST && Math.abs(pair[1]) < FARTHEST ? [pair[0], pair[1]] : null;
}

function comesBack([x, y]: Position, [lon, lat]: Position, { toLonLat }: Projection): boolean {
  toLonLat(x, y, pair, 0);
  const miss = pair[0] - lon;
  return Math.hypot(miss - 360 * Math.round(miss / 360), pair[1] - lat) <= RETURN_MISS;
}

function distanceToEdge([x, y]: Position, [ax, ay]: Position, [bx, by]: Position): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(ax + along * dx - x, ay + along * dy - y);
}

function isCounterClockwise(ring: readonly Position[]): boolean {
  const [x0, y0] = ring[0];
  let twiceArea = 0;
  for (let i = 1; i < ring.length; i++) {
    twiceArea += (ring[i - 1][0] - x0) * (ring[i][1] - y0) - (ring[i][0] - x0) * (ring[i - 1][1] - y0);
  }
  return twiceArea > 0;
}
