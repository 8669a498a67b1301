import { BANDS } from '../../geo/segmentation/grid.ts';

/** Which columns of a file say what. */
export interface LabelColumns {
  /** The column with the label. */
  readonly label: string;
  /** The text that means "there"; any other means "not there". Null: the labels are 1 and 0, or true and false. */
  readonly positive: string | null;
}

/** A place of which it is known whether something is there. */
export interface LabelledPoint {
  readonly lon: number;
  readonly lat: number;
  readonly isThere: boolean;
  /** The year in which that was so; null: that of the newest embeddings. */
  readonly year: number | null;
  /** Name of the region it lies in, where the file says so. */
  readonly region: string | null;
  /** Its 64 values, where the file brings them. */
  readonly values: Float64Array | null;
}

/** The first year of AEF. */
const FIRST_YEAR = 2017;
const LAST_YEAR = 2100;
const YES = new Set(['1', 'true', 'yes']);
const NO = new Set(['0', 'false', 'no']);
const LON = ['longitude', 'lon', 'lng', 'x'];
const LAT = ['latitude', 'lat', 'y'];
const BAND_NAMES = Array.from({ length: BANDS }, (_, band) => `A${String(band).padStart(2, '0')}`);

/** One row as a labelled point, or what is wrong with it: what was wanted and what came. */
export function readLabelledPoint(
  geometry: unknown,
  properties: Readonly<Record<string, unknown>>,
  { label, positive }: LabelColumns,
): LabelledPoint | { readonly fault: string } {
  try {
    const [lon, lat] = geometry === null ? placeOf(properties) : pointOf(geometry);
    return {
      lon,
      lat,
      isThere: labelOf(properties[label], label, positive),
      year: yearOf(properties['year']),
      region: regionOf(properties['region']),
      values: valuesOf(properties),
    };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function pointOf(geometry: unknown): readonly [number, number] {
  const { type, coordinates } = geometry as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type !== 'Point' || !Array.isArray(coordinates)) throw new Error(`geometry: wanted a Point, got ${shown(type)}`);
  return inDegrees(coordinates[0], coordinates[1]);
}

function placeOf(properties: Readonly<Record<string, unknown>>): readonly [number, number] {
  const valueOf = (names: readonly string[]): unknown => {
    const found = Object.keys(properties).find((name) => names.includes(name.toLowerCase()));
    if (found === undefined)
      throw new Error(`wanted a Point geometry or a column ${names[0]}, got ${Object.keys(properties).length} others`);
    return numberIn(properties[found]);
  };
  return inDegrees(valueOf(LON), valueOf(LAT));
}

function inDegrees(lon: unknown, lat: unknown): readonly [number, number] {
  if (isWithin(lon, 180) && isWithin(lat, 90)) return [lon, lat];
  throw new Error(`wanted a longitude and a latitude in degrees, got ${shown(lon)}, ${shown(lat)}`);
}

function labelOf(value: unknown, column: string, positive: string | null): boolean {
  const text = textOf(value);
  if (text === '') throw new Error(`${column}: wanted a label, got nothing`);
  if (positive !== null) return text === positive;
  const word = text.toLowerCase();
  if (YES.has(word)) return true;
  if (NO.has(word)) return false;
  throw new Error(`${column}: wanted 1 or 0 (or name the class with --positive), got ${shown(value)}`);
}

function yearOf(value: unknown): number | null {
  const text = textOf(value);
  if (text === '') return null;
  const year = Number(text);
  if (Number.isInteger(year) && year >= FIRST_YEAR && year <= LAST_YEAR) return year;
  throw new Error(`year: wanted a year from ${FIRST_YEAR} on, got ${shown(value)}`);
}

function regionOf(value: unknown): string | null {
  const text = textOf(value);
  return text === '' ? null : text.slice(0, 100);
}

/** Null when no column is named like a band. Values are those of AEF, -1 to 1, not codes. */
function valuesOf(properties: Readonly<Record<string, unknown>>): Float64Array | null {
  if (!BAND_NAMES.some((name) => name in properties)) return null;
  return Float64Array.from(BAND_NAMES, (name) => {
    const value = numberIn(properties[name]);
    if (typeof value === 'number' && Math.abs(value) <= 1) return value;
    throw new Error(`${name}: wanted a value from -1 to 1, got ${shown(properties[name])}`);
  });
}

function numberIn(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

function textOf(value: unknown): string {
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value).trim();
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'something else').slice(0, 60);
}
