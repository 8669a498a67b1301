import { utmZoneOfEpsg } from '../../../geo/crs/utm.ts';
import { type Bounds, isInside, type PixelRect, pixelsOf, zoneLattice } from '../zone-raster/lattice.ts';

/** A file that an index names. */
export interface IndexedFile {
  /** Its place below the base of the dataset. */
  readonly path: string;
  readonly year: number;
  /** UTM zone on WGS84: 32601 to 32660, 32701 to 32760. */
  readonly epsg: number;
  /** Its pixels on the lattice of the zone. */
  readonly rect: PixelRect;
  /** What it holds of the ground, in degrees, west above east over the antimeridian; null: the index does not say. */
  readonly footprint: Bounds | null;
}

const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;

/** A row of an index as a file; throws an error whose message says what was wanted of the row and what it has. */
export function toIndexedFile(
  row: Readonly<Record<string, unknown>>,
  columns: IndexColumns,
  prefixes: readonly string[],
): IndexedFile {
  const take = (field: keyof IndexColumns): unknown => row[columns[field] ?? ''];
  const path = pathOf(take('path'), prefixes);
  const year = Number(take('year'));
  if (!Number.isInteger(year) || year < FIRST_YEAR || year > LAST_YEAR)
    throw new Error(`wanted a year from ${FIRST_YEAR} to ${LAST_YEAR}, got ${String(take('year'))} for ${path}`);
  const epsg = epsgOf(take('crs'), take('zone'), path);
  const bounds = numbers([take('west'), take('south'), take('east'), take('north')]);
  const lattice = zoneLattice(epsg);
  const rect = bounds === null ? null : pixelsOf(lattice, bounds);
  if (rect === null || !isInside(lattice, rect))
    throw new Error(`wanted bounds inside the UTM zone, got ${bounds?.join(', ') ?? 'no numbers'} for ${path}`);
  const footprint = numbers([take('wgs84West'), take('wgs84South'), take('wgs84East'), take('wgs84North')]);
  return { path, year, epsg, rect, footprint };
}

function pathOf(value: unknown, prefixes: readonly string[]): string {
  const path = typeof value === 'string' ? relativeIndexPath(value, prefixes) : null;
  if (path !== null) return path;
  const wanted = prefixes.length === 0 ? '' : ` that begin with ${prefixes.join(' or ')},`;
  throw new Error(`wanted paths of TIFF files${wanted} or are relative, got ${JSON.stringify(value)?.slice(0, 200)}`);
}

function epsgOf(crs: unknown, zone: unknown, path: string): number {
  const byCrs = crs === undefined ? null : Number(/^(?:EPSG:)?(\d{5})$/i.exec(String(crs))?.[1]);
  const [, number, side] = /^(\d{1,2})([NS])$/i.exec(String(zone)) ?? [];
  const byZone = number === undefined ? null : (/n/i.test(side ?? '') ? 32_600 : 32_700) + Number(number);
  const epsg = byCrs ?? byZone;
  if (epsg === null || utmZoneOfEpsg(epsg) === null || (byZone !== null && byZone !== epsg))
    throw new Error(`wanted a UTM zone on WGS84, got crs ${String(crs)}, zone ${String(zone)} for ${path}`);
  return epsg;
}

function numbers(values: readonly unknown[]): Bounds | null {
  const [west, south, east, north] = values.map((value) =>
    typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN,
  );
  if (![west, south, east, north].every(Number.isFinite)) return null;
  // AEF's files are stored from south to north, and rasterio, for one, then says that their south is in the north.
  return [west, Math.min(south, north), east, Math.max(south, north)];
}

/** What is taken from an index, and the names its columns go by; the first that is there counts. */
const NAMES = {
  path: ['path', 'location', 'filename', 'file'],
  year: ['year'],
  crs: ['crs', 'proj:code', 'epsg'],
  zone: ['utm_zone', 'zone'],
  west: ['utm_west'],
  south: ['utm_south'],
  east: ['utm_east'],
  north: ['utm_north'],
  wgs84West: ['wgs84_west'],
  wgs84South: ['wgs84_south'],
  wgs84East: ['wgs84_east'],
  wgs84North: ['wgs84_north'],
} as const satisfies Record<string, readonly string[]>;

type IndexField = keyof typeof NAMES;

const NEEDED = ['path', 'year', 'west', 'south', 'east', 'north'] as const satisfies readonly IndexField[];
const FOOTPRINT = ['wgs84West', 'wgs84South', 'wgs84East', 'wgs84North'] as const satisfies readonly IndexField[];

/** The column of each field that is there; the footprint in degrees is there whole or not at all. */
export type IndexColumns = Readonly<Partial<Record<IndexField, string>>>;

/** Finds the columns of an index, or says what is missing. */
export function findIndexColumns(names: readonly string[]): IndexColumns | { readonly missing: string } {
  const found: Partial<Record<IndexField, string>> = {};
  for (const field of Object.keys(NAMES) as IndexField[]) {
    const name = NAMES[field].find((candidate) => names.includes(candidate));
    if (name !== undefined) found[field] = name;
  }
  if (FOOTPRINT.some((field) => found[field] === undefined)) for (const field of FOOTPRINT) delete found[field];
  const missing = NEEDED.filter((field) => found[field] === undefined).map((field) => NAMES[field].join(' or '));
  if (found.crs === undefined && found.zone === undefined) missing.push('crs or utm_zone');
  if (missing.length === 0) return found;
  return { missing: `wanted the columns ${missing.join(', ')}, got ${names.slice(0, 40).join(', ') || 'none'}` };
}

/** Folders and a file of plain names: nothing that a URL or a file system could read as anything but a place below the base. */
const PLAIN = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.tiff?$/i;
const LONGEST = 500;

/**
 * A file's place below the base of its dataset, from the path that an index gives: a full address that begins with one
 * of `prefixes`, or one that is relative already. Null for every other path, above all for one that would lead out of
 * the base (another host or bucket, `..`, a query, an absolute path): an index decides what is read below the base and
 * never what is read elsewhere.
 */
export function relativeIndexPath(path: string, prefixes: readonly string[]): string | null {
  const prefix = prefixes.find((candidate) => path.startsWith(candidate)) ?? '';
  const rest = path.slice(prefix.length);
  return rest.length <= LONGEST && PLAIN.test(rest) ? rest : null;
}
