import { utmZoneAt, utmZoneBox } from '../../geo/crs/utm-zone-at.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';

/** Files of one raster, cut along full degrees of longitude and latitude, as the tiles of Web Mercator, or by UTM zone. */
export interface TileScheme {
  /**
   * Address or path with the corner of a tile in it: `{ns}` is N or S, `{lat}` the degrees of latitude without sign, `{ew}` E or W,
   * `{lon}` the degrees of longitude; `{lat:2}` and `{lon:3}` fill up with zeros to so many digits. 0 is N and E. Or `{quadkey}`,
   * the quadkey of a tile of Web Mercator. Or `{zone}`, the number of a UTM zone, `{zone:2}` with two digits.
   */
  readonly template: string;
  /** Degrees from side to side of a tile; tiles begin at multiples of it. */
  readonly degrees: number;
  /** The corner that the name gives. */
  readonly corner: 'upper-left' | 'lower-left';
  /** Zoom of tiles that `{quadkey}` names, in place of degrees and corner. */
  readonly zoom?: number;
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
  /** The UTM zone that the file is of. */
  readonly zone?: number;
}

/** Most files one polygon is looked up in. */
export const MOST_TILES = 64;

const QUADKEY = '{quadkey}';
const ZONE = /\{zone(?::(\d))?\}/g;
const NAMES = ['ns', 'lat', 'ew', 'lon'] as const;
const VARIABLE = /\{(ns|ew|lat|lon)(?::(\d))?\}/g;

/** Whether a text names a tile. */
export function isTileTemplate(text: string): boolean {
  return text.includes(QUADKEY) || isZoneTemplate(text) || NAMES.some((name) => text.includes(`{${name}`));
}

function isZoneTemplate(text: string): boolean {
  return text.search(ZONE) >= 0;
}

/** What is wrong with a template, or null: every part of the corner must be in it, and nothing else in braces. */
export function templateFault(template: string): string | null {
  const whole = template.includes(QUADKEY) ? QUADKEY : null;
  if (whole !== null || (isZoneTemplate(template) && !NAMES.some((name) => template.includes(`{${name}`)))) {
    const other = template.replaceAll(whole ?? ZONE, '').match(/\{[^}]*\}?/);
    return other === null ? null : `wanted ${whole ?? '{zone}'} alone, got ${other[0]} in ${template}`;
  }
  const found = new Set([...template.matchAll(VARIABLE)].map(([, name]) => name));
  const missing = NAMES.filter((name) => !found.has(name));
  if (missing.length > 0) return `wanted ${missing.map((name) => `{${name}}`).join(', ')} in ${template}`;
  const rest = template.replaceAll(VARIABLE, '').match(/\{[^}]*\}?/);
  return rest === null ? null : `wanted {ns}, {lat}, {ew} and {lon} alone, got ${rest[0]} in ${template}`;
}

/**
 * The tiles that a box in degrees overlaps; those it only touches do not count. Null: more than `MOST_TILES`. Files of UTM zones
 * reach over their edges, and a box lies on the one of its middle: nothing is measured twice.
 */
export function tilesOfBox(scheme: TileScheme, box: Bbox): readonly TileRef[] | null {
  const [west, south, east, north] = box;
  if (isZoneTemplate(scheme.template)) {
    const middle = (west + east) / 2;
    // Beyond the antimeridian the same ground is given once more, from the other side.
    return middle >= -180 && middle < 180 ? [zoneTile(scheme, middle, (south + north) / 2)] : [];
  }
  if (scheme.zoom !== undefined) return mercatorTiles(scheme, scheme.zoom, box);
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
  if (isZoneTemplate(scheme.template)) return zoneTile(scheme, lon, lat);
  if (scheme.zoom !== undefined)
    return mercatorTile(
      scheme,
      scheme.zoom,
      Math.floor(columnOf(lon, scheme.zoom)),
      Math.floor(rowOf(lat, scheme.zoom)),
    );
  return tileAt(scheme, Math.floor(lon / scheme.degrees), Math.floor(lat / scheme.degrees));
}

function zoneTile({ template, listed }: TileScheme, lon: number, lat: number): TileRef {
  const zone = utmZoneAt(lon, lat);
  const address = template.replaceAll(ZONE, (_, digits = '0') => String(zone).padStart(Number(digits), '0'));
  return { address, box: utmZoneBox(zone), zone, ...(isListed(listed, address) ? {} : { isUnlisted: true }) };
}

function isListed(listed: TileScheme['listed'], address: string): boolean {
  return listed === undefined || listed.has(address.slice(address.lastIndexOf('/') + 1));
}

/** Latitude up to which Web Mercator has tiles. */
const MERCATOR_LIMIT = 85.0511287;

function mercatorTiles(scheme: TileScheme, zoom: number, [west, south, east, north]: Bbox): readonly TileRef[] | null {
  const [left, right] = [Math.floor(columnOf(west, zoom)), Math.ceil(columnOf(east, zoom))];
  const [top, bottom] = [Math.floor(rowOf(north, zoom)), Math.ceil(rowOf(south, zoom))];
  if ((right - left) * (bottom - top) > MOST_TILES) return null;
  const tiles: TileRef[] = [];
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) tiles.push(mercatorTile(scheme, zoom, column, row));
  return tiles;
}

/** Column of a longitude and row of a latitude, with their fractions; rows run south. */
function columnOf(lon: number, zoom: number): number {
  return ((lon + 180) / 360) * 2 ** zoom;
}

function rowOf(lat: number, zoom: number): number {
  const sine = Math.sin((Math.max(-MERCATOR_LIMIT, Math.min(MERCATOR_LIMIT, lat)) * Math.PI) / 180);
  return (0.5 - Math.atanh(sine) / (2 * Math.PI)) * 2 ** zoom;
}

function mercatorTile({ template, listed }: TileScheme, zoom: number, column: number, row: number): TileRef {
  let key = '';
  for (let bit = zoom - 1; bit >= 0; bit--) key += String(((column >> bit) & 1) + 2 * ((row >> bit) & 1));
  const address = template.replaceAll(QUADKEY, key);
  const lonOf = (x: number): number => (x / 2 ** zoom) * 360 - 180;
  const latOf = (y: number): number => (Math.asin(Math.tanh(Math.PI * (1 - (2 * y) / 2 ** zoom))) * 180) / Math.PI;
  const box: Bbox = [lonOf(column), latOf(row + 1), lonOf(column + 1), latOf(row)];
  return { address, box, ...(isListed(listed, address) ? {} : { isUnlisted: true }) };
}

function tileAt({ template, degrees, corner, listed }: TileScheme, column: number, row: number): TileRef {
  const lat = (corner === 'upper-left' ? row + 1 : row) * degrees;
  const lon = column * degrees;
  const address = nameOf(template, lon, lat);
  const box: Bbox = [lon, row * degrees, lon + degrees, (row + 1) * degrees];
  return { address, box, ...(isListed(listed, address) ? {} : { isUnlisted: true }) };
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
