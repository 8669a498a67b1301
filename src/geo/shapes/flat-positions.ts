import { foundInWords, NESTED, type Details } from '../../messages/geometry-place.ts';
import { isExactNumber } from '../parse-json.ts';

/** Why an entry of a list of positions cannot be used. */
interface BadPosition {
  readonly index: number;
  /** The sentence about it without its beginning, which names the entry. */
  readonly words: string;
  /** `bad_position`: it is no position at all. */
  readonly code: 'bad_position' | 'out_of_range';
  /** What is out of range, or stands there in place of a position, as codes of what is said of the place in other languages. */
  readonly details: Details;
}

/**
 * Writes longitude and latitude of each position into `out` as pairs. Stops at the first entry that is no position in
 * degrees, returns it, and leaves the rest of `out` as it was; null when all are well. Heights are passed over.
 */
export function flatten(positions: readonly unknown[], out: Float64Array): BadPosition | null {
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i];
    if (!Array.isArray(position)) {
      const what = show(position);
      return bad(i, `is ${what}; wanted a position [longitude, latitude].`, [['found', { what: foundInWords(what) }]]);
    }
    const [lon, lat] = position as readonly unknown[];
    if (typeof lon !== 'number' || typeof lat !== 'number' || !Number.isFinite(lon) || !Number.isFinite(lat))
      return notNumbers(i, position);
    if (lon < -180 || lon > 180 || lat < -90 || lat > 90) return outOfRange(i, lon, lat);
    out[2 * i] = lon;
    out[2 * i + 1] = lat;
  }
  return null;
}

function bad(index: number, words: string, details: Details): BadPosition {
  return { index, words, code: 'bad_position', details };
}

function notNumbers(index: number, position: readonly unknown[]): BadPosition {
  if (position.length < 2) {
    const what = `${position.length} ${position.length === 1 ? 'entry' : 'entries'}`;
    const isNested = Array.isArray(position[0]);
    return bad(index, `has ${what}${isNested ? NESTED : ''}; wanted [longitude, latitude].`, [
      ['found', { what: foundInWords(what) }],
      ...(isNested ? [['nested', {}] as const] : []),
    ]);
  }
  const axis = typeof position[0] === 'number' && Number.isFinite(position[0]) ? 1 : 0;
  const word = axis === 0 ? 'longitude' : 'latitude';
  const value = position[axis];
  const kind = typeof value === 'string' ? 'a number' : 'a finite number';
  const what = show(value);
  return bad(index, `has ${what} where ${kind} was wanted for the ${word}.`, [[word, { value: foundInWords(what) }]]);
}

function outOfRange(index: number, lon: number, lat: number): BadPosition {
  const [word, value, limit] = Math.abs(lat) > 90 ? ['latitude', lat, 90] : ['longitude', lon, 180];
  const hint = hintOf(lon, lat);
  const words = `has the ${word} ${value}, outside -${limit} to ${limit}${hint === null ? '' : HINTS[hint]}.`;
  const details: Details = [[word, { value: String(value) }], ...(hint === null ? [] : [[hint, {}] as const])];
  return { index, words, code: 'out_of_range', details };
}

const HINTS = {
  swapped: '; longitude and latitude look swapped (GeoJSON and WKT put longitude first)',
  projected: '; it looks like metres of a projected system, wanted degrees (EPSG:4326)',
} as const;

function hintOf(lon: number, lat: number): keyof typeof HINTS | null {
  if (Math.abs(lon) <= 90 && Math.abs(lat) <= 180) return 'swapped';
  return Math.abs(lon) > 1_000 || Math.abs(lat) > 1_000 ? 'projected' : null;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (isExactNumber(value)) return value.rawJSON.slice(0, 40);
  return typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 40);
}

/** How much one geometry may hold, so that work on it ends soon. */
export const GEOMETRY_LIMITS = { vertices: 1_000_000, parts: 50_000 } as const;

interface GeometrySize {
  readonly vertices: number;
  /** Lists of positions (lines, rings, sets of points) and members of collections. */
  readonly parts: number;
}

/** Arrays and collections inside each other that are followed; what is deeper is no geometry. */
const MAX_DEPTH = 20;

/** Counts without looking at a single coordinate, whatever stands where a geometry was expected. */
export function geometrySize(geometry: unknown): GeometrySize {
  const size = { vertices: 0, parts: 0 };
  countGeometry(geometry, 0, size);
  return size;
}

/** What a geometry has too much of, as the end of a sentence; null where it keeps to the limits. */
export function sizeFault(geometry: unknown): { readonly words: string; readonly details: Details } | null {
  const size = geometrySize(geometry);
  for (const kind of ['vertices', 'parts'] as const) {
    const [count, most] = [size[kind], GEOMETRY_LIMITS[kind]];
    if (count > most)
      return {
        words: `has ${count} ${kind}; wanted at most ${most} (file_${kind} in /limits)`,
        details: [[kind, { count, most }]],
      };
  }
  return null;
}

interface Counts {
  vertices: number;
  parts: number;
}

function countGeometry(geometry: unknown, depth: number, out: Counts): void {
  if (typeof geometry !== 'object' || geometry === null || depth > MAX_DEPTH) return;
  const { coordinates, geometries } = geometry as { readonly coordinates?: unknown; readonly geometries?: unknown };
  if (Array.isArray(coordinates)) countPositions(coordinates, 0, out);
  if (!Array.isArray(geometries)) return;
  out.parts += geometries.length;
  for (const member of geometries) countGeometry(member, depth + 1, out);
}

function countPositions(list: readonly unknown[], depth: number, out: Counts): void {
  const [first] = list;
  if (!Array.isArray(first)) {
    if (list.length > 0) out.vertices++;
  } else if (!Array.isArray(first[0]) || depth > MAX_DEPTH) {
    out.vertices += list.length;
    out.parts++;
  } else {
    for (const part of list) if (Array.isArray(part)) countPositions(part, depth + 1, out);
  }
}
