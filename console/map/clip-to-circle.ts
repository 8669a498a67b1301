import geodesic from 'geographiclib-geodesic';
import type { Geometry, Position } from 'geojson';

const { WGS84 } = geodesic.Geodesic;
/** Sides of the polygon that areas are cut with; 0.02 % of the radius off between its corners. */
const SIDES = 180;

type Flat = readonly [x: number, y: number];

/**
 * The part of a geometry within so many metres of a place; null where there is none. Points and lines are cut at the circle, areas
 * at a polygon in it. Metres are those of the ellipsoid in the middle of the circle, right to 0.1 % over 50 km.
 */
export function clipToCircle(geometry: Geometry, middle: readonly [number, number], radiusM: number): Geometry | null {
  const plane = planeAt(middle);
  switch (geometry.type) {
    case 'Point':
      return isInside(plane.flat(geometry.coordinates), radiusM) ? geometry : null;
    case 'MultiPoint': {
      const coordinates = geometry.coordinates.filter((position) => isInside(plane.flat(position), radiusM));
      return coordinates.length === 0 ? null : { ...geometry, coordinates };
    }
    case 'LineString':
    case 'MultiLineString': {
      const lines = geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates;
      const parts = lines.flatMap((line) => clipLine(line.map(plane.flat), radiusM));
      if (parts.length === 0) return null;
      return { type: 'MultiLineString', coordinates: parts.map((part) => part.map(plane.lonLat)) };
    }
    case 'Polygon':
    case 'MultiPolygon': {
      const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
      const parts = polygons.flatMap((rings) => {
        const cut = rings.map((ring) => clipRing(ring.slice(0, -1).map(plane.flat), radiusM));
        return cut[0]!.length < 3 ? [] : [cut.filter((ring) => ring.length >= 3)];
      });
      if (parts.length === 0) return null;
      const closed = (ring: readonly Flat[]): Position[] => [...ring, ring[0]!].map(plane.lonLat);
      return { type: 'MultiPolygon', coordinates: parts.map((rings) => rings.map(closed)) };
    }
    default:
      return geometry;
  }
}

/** Degrees as metres east and north of a place, and back. */
function planeAt([lon, lat]: readonly [number, number]) {
  const step = 0.001;
  const east = WGS84.Inverse(lat, lon - step, lat, lon + step).s12! / (2 * step);
  const north = WGS84.Inverse(lat - step, lon, lat + step, lon).s12! / (2 * step);
  return {
    flat: ([x = 0, y = 0]: Position): Flat => [(x - lon) * east, (y - lat) * north],
    lonLat: ([x, y]: Flat): Position => [lon + x / east, lat + y / north],
  };
}

function isInside([x, y]: Flat, radius: number): boolean {
  return Math.hypot(x, y) <= radius;
}

/** The parts of a line inside of a circle around 0, 0. */
function clipLine(line: readonly Flat[], radius: number): readonly (readonly Flat[])[] {
  const parts: Flat[][] = [];
  let open: Flat[] | null = null;
  for (let i = 1; i < line.length; i++) {
    const [from, to] = [line[i - 1]!, line[i]!];
    const span = spanInside(from, to, radius);
    if (span === null) {
      open = null;
      continue;
    }
    const [first, last] = span;
    if (open === null || first > 0) parts.push((open = [between(from, to, first)]));
    open.push(between(from, to, last));
    if (last < 1) open = null;
  }
  return parts.filter((part) => part.length > 1);
}

/** From where to where, as shares of its length, a piece of a line is inside of a circle around 0, 0. */
function spanInside([x0, y0]: Flat, [x1, y1]: Flat, radius: number): readonly [number, number] | null {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const a = dx * dx + dy * dy;
  if (a === 0) return isInside([x0, y0], radius) ? [0, 1] : null;
  const b = x0 * dx + y0 * dy;
  const root = b * b - a * (x0 * x0 + y0 * y0 - radius * radius);
  if (root <= 0) return null;
  const first = Math.max(0, (-b - Math.sqrt(root)) / a);
  const last = Math.min(1, (-b + Math.sqrt(root)) / a);
  return first < last ? [first, last] : null;
}

function between([x0, y0]: Flat, [x1, y1]: Flat, share: number): Flat {
  return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
}

/** An open ring cut by each side of a polygon in the circle in turn (Sutherland and Hodgman 1974); empty where nothing is left. */
function clipRing(ring: readonly Flat[], radius: number): readonly Flat[] {
  if (ring.every((place) => isInside(place, radius * Math.cos(Math.PI / SIDES)))) return ring;
  let left = ring;
  const near = radius * Math.cos(Math.PI / SIDES);
  for (let side = 0; side < SIDES && left.length > 0; side++) {
    const angle = (2 * Math.PI * side) / SIDES;
    const [nx, ny] = [Math.cos(angle), Math.sin(angle)];
    const depth = ([x, y]: Flat): number => near - (x * nx + y * ny);
    left = left.flatMap((place, i) => {
      const before = left[(i + left.length - 1) % left.length]!;
      const [own, other] = [depth(place), depth(before)];
      const crossing = own >= 0 === other >= 0 ? [] : [between(before, place, other / (other - own))];
      return own >= 0 ? [...crossing, place] : crossing;
    });
  }
  return left;
}
