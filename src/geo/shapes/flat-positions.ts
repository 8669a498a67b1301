import { isExactNumber } from '../parse-json.ts';

/** Why an entry of a list of positions cannot be used. */
interface BadPosition {
  readonly index: number;
  readonly outOfRange: boolean;
  /** The sentence about it; `name` is how the caller calls the entry, as `coordinates[0][3]`. */
  explain(name: string): string;
}

/**
 * Writes longitude and latitude of each position into `out` as pairs. Stops at the first entry that is no position in
 * degrees, returns it, and leaves the rest of `out` as it was; null when all are well. Heights are passed over.
 */
export function flatten(positions: readonly unknown[], out: Float64Array): BadPosition | null {
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i];
    if (!Array.isArray(position))
      return bad(i, (name) => `${name} is ${show(position)}; wanted a position [longitude, latitude].`);
    const [lon, lat] = position as readonly unknown[];
    if (typeof lon !== 'number' || typeof lat !== 'number' || !Number.isFinite(lon) || !Number.isFinite(lat))
      return notNumbers(i, position);
    if (lon < -180 || lon > 180 || lat < -90 || lat > 90) return outOfRange(i, lon, lat);
    out[2 * i] = lon;
    out[2 * i + 1] = lat;
  }
  return null;
}

function bad(index: number, explain: (name: string) => string, range = false): BadPosition {
  return { index, outOfRange: range, explain };
}

function notNumbers(index: number, position: readonly unknown[]): BadPosition {
  if (position.length < 2)
    return bad(
      index,
      (name) =>
        `${name} has ${position.length} ${position.length === 1 ? 'entry' : 'entries'}${nesting(position[0])}; wanted [longitude, latitude].`,
    );
  const axis = typeof position[0] === 'number' && Number.isFinite(position[0]) ? 1 : 0;
  const word = axis === 0 ? 'longitude' : 'latitude';
  const value = position[axis];
  if (typeof value === 'string')
    return bad(
      index,
      (name) => `${name} has the text ${JSON.stringify(value.slice(0, 40))} where a number was wanted for the ${word}.`,
    );
  return bad(index, (name) => `${name} has ${show(value)} where a finite number was wanted for the ${word}.`);
}

function outOfRange(index: number, lon: number, lat: number): BadPosition {
  const [word, value, limit] = Math.abs(lat) > 90 ? ['latitude', lat, 90] : ['longitude', lon, 180];
  return bad(
    index,
    (name) => `${name} has the ${word} ${value}, outside -${limit} to ${limit}${hint(lon, lat)}.`,
    true,
  );
}

function hint(lon: number, lat: number): string {
  if (Math.abs(lon) <= 90 && Math.abs(lat) <= 180)
    return '; longitude and latitude look swapped (GeoJSON and WKT put longitude first)';
  if (Math.abs(lon) > 1_000 || Math.abs(lat) > 1_000)
    return '; it looks like metres of a projected system, wanted degrees (EPSG:4326)';
  return '';
}

function nesting(first: unknown): string {
  return Array.isArray(first) ? ', itself an array (one level of brackets too many)' : '';
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (isExactNumber(value)) return value.rawJSON.slice(0, 40);
  return typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 40);
}
