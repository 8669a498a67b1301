import { isRecord } from '../../is-record.ts';

/** The area of a parcel as polygons, or why it has none, in words that follow "row 7: ". */
type ParcelPolygons =
  | { readonly polygons: readonly (readonly Float64Array[])[] }
  | { readonly polygons: null; readonly fault: string };

/** Geometry collections nested deeper than this are refused. */
const MAX_DEPTH = 8;

/** Thrown while a geometry is read; never leaves `parcelPolygons`. */
class Fault extends Error {}

/**
 * Lays out a GeoJSON area on WGS84 as flat rings. Cadastres are not always valid, and a parcel is a parcel even where its
 * boundary crosses itself: that is kept as it is. Open rings are closed, heights left out, holes of fewer than three places
 * dropped. No polygon, a coordinate that is none, or an exterior ring of fewer than three places is a fault.
 */
export function parcelPolygons(geometry: unknown): ParcelPolygons {
  const polygons: Float64Array[][] = [];
  try {
    collect(geometry, polygons, 0);
  } catch (error) {
    if (error instanceof Fault) return { polygons: null, fault: error.message };
    throw error;
  }
  return polygons.length > 0 ? { polygons } : { polygons: null, fault: `wanted a polygon, got ${nameOf(geometry)}` };
}

function collect(geometry: unknown, out: Float64Array[][], depth: number): void {
  if (!isRecord(geometry)) return;
  const { type, coordinates, geometries } = geometry;
  if (type === 'Polygon') addPolygon(coordinates, out);
  else if (type === 'MultiPolygon') for (const polygon of listOf(coordinates, 'polygons')) addPolygon(polygon, out);
  else if (type === 'GeometryCollection') {
    if (depth >= MAX_DEPTH) throw new Fault(`wanted collections at most ${MAX_DEPTH} deep, got more`);
    for (const member of listOf(geometries, 'geometries')) collect(member, out, depth + 1);
  }
}

function addPolygon(value: unknown, out: Float64Array[][]): void {
  const rings = listOf(value, 'rings').map(ringOf);
  const [exterior, ...holes] = rings;
  // An empty part of a MultiPolygon says nothing.
  if (exterior === undefined || exterior.length === 0) return;
  if (exterior.length < 8) throw new Fault(`wanted a ring of 4 or more positions, got ${exterior.length / 2}`);
  out.push([exterior, ...holes.filter((hole) => hole.length >= 8)]);
}

function ringOf(value: unknown): Float64Array {
  const positions = listOf(value, 'positions');
  const flat: number[] = [];
  for (const position of positions) {
    const [lon, lat] = listOf(position, 'numbers');
    if (!isDegrees(lon, 180) || !isDegrees(lat, 90))
      throw new Fault(`wanted longitude and latitude in degrees, got ${JSON.stringify(position)?.slice(0, 60)}`);
    flat.push(lon, lat);
  }
  if (flat.length > 0 && (flat[0] !== flat.at(-2) || flat[1] !== flat.at(-1))) flat.push(flat[0], flat[1]);
  return Float64Array.from(flat);
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Fault(`wanted a list of ${what}, got ${nameOf(value)}`);
}

function isDegrees(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

/** What came, short enough for a message. */
function nameOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return typeof value['type'] === 'string' ? value['type'].slice(0, 40) : 'an object';
  return `a ${typeof value}`;
}
