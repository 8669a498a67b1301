import type { Bbox } from '../../geo/shapes/shape.ts';

/** Files of one raster, cut along full degrees of longitude and latitude. */
export interface TileScheme {
  /**
   * Address or path with the corner of a tile in it: `{ns}` is N or S, `{lat}` the degrees of latitude without sign, `{ew}` E or W,
   * `{lon}` the degrees of longitude; `{lat:2}` and `{lon:3}` fill up with zeros to so many digits. 0 is N and E.
   */
  readonly template: string;
  /** Degrees from side to side of a tile; tiles begin at multiples of it. */
  readonly degrees: number;
  /** The corner that the name gives. */
  readonly corner: 'upper-left' | 'lower-left';
  /** The last part of the names of all tiles that exist; absent where nobody lists them. */
  readonly listed?: ReadonlySet<string>;
}

/** One file of a raster. */
export interface TileRef {
  readonly address: string;
  /** The ground the file is there for, in degrees; null: all that is in it. */
  readonly box: Bbox | null;
  /** The list of tiles says that there is none here. */
  readonly isUnlisted?: true;
}

/** Most files one polygon is looked up in. */
export const MOST_TILES = 64;

const NAMES = ['ns', 'lat', 'ew', 'lon'] as const;
const VARIABLE = /\{(ns|ew|lat|lon)(?::(\d))?\}/g;

/** Whether a text names a tile by its corner. */
export function isTileTemplate(text: string): boolean {
  return NAMES.some((name) => text.includes(`{${name}`));
}

/** What is wrong with a template, or null: every part of the corner must be in it, and nothing else in braces. */
export function templateFault(template: string): string | null {
  const found = new Set([...template.matchAll(VARIABLE)].map(([, name]) => name));
  const missing = NAMES.filter((name) => !found.has(name));
  if (missing.length > 0) return `wanted ${missing.map((name) => `{${name}}`).join(', ')} in ${template}`;
  const rest = template.replaceAll(VARIABLE, '').match(/\{[^}]*\}?/);
  return rest === null ? null : `wanted {ns}, {lat}, {ew} and {lon} alone, got ${rest[0]} in ${template}`;
}

/** The tiles that a box in degrees overlaps; those it only touches do not count. Null: more than `MOST_TILES`. */
export function tilesOfBox(scheme: TileScheme, box: Bbox): readonly TileRef[] | null {
  const [west, south, east, north] = box;
  const [left, right] = span(west, east, scheme.degrees, 180);
  const [bottom, top] = span(south, north, scheme.degrees, 90);
  if ((right - left) * (top - bottom) > MOST_TILES) return null;
  const tiles: TileRef[] = [];
  for (let row = bottom; row < top; row++)
    for (let column = left; column < right; column++) tiles.push(tileAt(scheme, column, row));
  return tiles;
}

/** The one tile that holds a place in degrees: one on an edge belongs to the tile east or north of it. */
export function tileOfPlace(scheme: TileScheme, lon: number, lat: number): TileRef {
  return tileAt(scheme, Math.floor(lon / scheme.degrees), Math.floor(lat / scheme.degrees));
}

function tileAt({ template, degrees, corner, listed }: TileScheme, column: number, row: number): TileRef {
  const lat = (corner === 'upper-left' ? row + 1 : row) * degrees;
  const lon = column * degrees;
  const address = nameOf(template, lon, lat);
  const isListed = listed === undefined || listed.has(address.slice(address.lastIndexOf('/') + 1));
  const box: Bbox = [lon, row * degrees, lon + degrees, (row + 1) * degrees];
  return { address, box, ...(isListed ? {} : { isUnlisted: true }) };
}

/** First tile and the one after the last, of a range in degrees inside the world. */
function span(from: number, to: number, degrees: number, limit: number): readonly [first: number, end: number] {
  const first = Math.floor(Math.max(from, -limit) / degrees);
  const end = Math.ceil(Math.min(to, limit) / degrees);
  return [first, Math.max(first, end)];
}

function nameOf(template: string, lon: number, lat: number): string {
  const values: Readonly<Record<string, string>> = {
    ns: lat < 0 ? 'S' : 'N',
    ew: lon < 0 ? 'W' : 'E',
    lat: String(Math.abs(lat)),
    lon: String(Math.abs(lon)),
  };
  return template.replaceAll(VARIABLE, (_, name: string, digits = '0') =>
    (values[name] ?? '').padStart(Number(digits), '0'),
  );
}
