import type { Geometry, Position } from '../../geo/geometry.ts';
import { polygonArea } from '../../geo/polygon-area.ts';
import { parseWkb } from '../../geo/wkb.ts';
import type { FlatGeometry } from '../flatgeobuf/encode-feature.ts';
import type { ThemeFeature, ThemeName } from '../packs/themes.ts';
import type { Row } from './read-rows.ts';

/** Places less sure than this to exist are left out. */
const LEAST_CONFIDENCE = 0.5;

/** A row of Overture as a feature of a theme, or null when it is none: of another kind, closed, or without a usable geometry. */
export function toFeature(theme: ThemeName, row: Row): ThemeFeature | null {
  const values = valuesOf(theme, row);
  if (values === null || !(row['geometry'] instanceof Uint8Array)) return null;
  const geometry = flatGeometry(parseWkb(row['geometry']).geometry);
  if (geometry === null || (theme === 'businesses') !== (geometry.type === 'point')) return null;
  const own = theme === 'buildings' ? [...values, footprint(geometry)] : values;
  return { theme, geometry, values: [text(row['id']), ...own] };
}

type Value = string | number | null;

function valuesOf(theme: ThemeName, row: Row): Value[] | null {
  const kind = text(row['class']) ?? text(row['subtype']);
  const subtype = text(row['subtype']);
  const name = text(record(row['names'])['primary']);
  switch (theme) {
    case 'roads':
      return subtype === 'road' ? [kind ?? 'unclassified', name] : null;
    case 'water':
      return subtype === 'physical' ? null : [WATER[subtype ?? ''] ?? kind ?? 'water', name];
    case 'buildings':
      return [kind ?? 'yes', name, isIndustrial(subtype, kind) ? 1 : 0];
    case 'ports':
      return kind !== null && PORTS.has(kind) ? [kind.replaceAll('_', ' '), name] : null;
    case 'businesses':
      return businessOf(row, name);
    default:
      return null;
  }
}

/** Subtypes of water in the words of the checks. */
const WATER: Readonly<Record<string, string>> = { ocean: 'sea', human_made: 'human_made', wastewater: 'wastewater' };
const PORTS: ReadonlySet<string> = new Set(['quay', 'ferry_terminal', 'harbour', 'port']);
const INDUSTRIAL: ReadonlySet<string> = new Set([
  'industrial',
  'warehouse',
  'factory',
  'manufacture',
  'mill',
  'works',
  'silo',
  'storage_tank',
]);

function isIndustrial(subtype: string | null, kind: string | null): boolean {
  return subtype === 'industrial' || (kind !== null && INDUSTRIAL.has(kind));
}

function businessOf(row: Row, name: string | null): Value[] | null {
  const status = text(row['operating_status']);
  const confidence = row['confidence'];
  if (status === 'permanently_closed' || (typeof confidence === 'number' && confidence < LEAST_CONFIDENCE)) return null;
  const categories = record(row['categories']);
  const alternates = Array.isArray(categories['alternate']) ? categories['alternate'] : [];
  const kinds = [categories['primary'], ...alternates].map(text).filter((kind) => kind !== null);
  if (kinds.length === 0) return null;
  const names = [
    name,
    ...namesIn(record(row['names'])['common']),
    text(record(record(row['brand'])['names'])['primary']),
  ];
  const known = [...new Set(names.filter((one) => one !== null))];
  return [kinds[0], name, kinds.join(' '), known.join(';')];
}

/** Names in other languages: a map, which comes as an object or as a list of keys and values. */
function namesIn(common: unknown): (string | null)[] {
  if (Array.isArray(common)) return common.map((entry) => text(record(entry)['value']));
  return Object.values(record(common)).map(text);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function flatGeometry(geometry: Geometry): FlatGeometry | null {
  switch (geometry.type) {
    case 'Point': {
      const [lon, lat] = geometry.coordinates;
      return lon === undefined ? null : { type: 'point', lon: rounded(lon), lat: rounded(lat) };
    }
    case 'LineString':
      return { type: 'lineString', line: flat(geometry.coordinates) };
    case 'MultiLineString':
      return { type: 'multiLineString', lines: geometry.coordinates.map(flat) };
    case 'Polygon':
      return { type: 'polygon', rings: geometry.coordinates.map(flat) };
    case 'MultiPolygon':
      return { type: 'multiPolygon', polygons: geometry.coordinates.map((rings) => rings.map(flat)) };
    default:
      return null;
  }
}

function flat(positions: readonly Position[]): Float64Array {
  const out = new Float64Array(positions.length * 2);
  for (const [i, [lon, lat]] of positions.entries()) {
    out[2 * i] = rounded(lon);
    out[2 * i + 1] = rounded(lat);
  }
  return out;
}

/** To 1e-7 degree, as packs keep coordinates. */
function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7;
}

function footprint(geometry: FlatGeometry): number {
  const polygons =
    geometry.type === 'polygon' ? [geometry.rings] : geometry.type === 'multiPolygon' ? geometry.polygons : [];
  return Math.round(polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) * 100) / 100;
}
