import type { Geometry, Position } from '../../geo/geometry.ts';
import { insidePoint } from '../../geo/rings/inside-point.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import { parseWkb } from '../../geo/shapes/wkb.ts';
import { REGISTER_FILING, UNKNOWN_KIND } from '../themes/business-table.ts';
import type { FlatGeometry } from '../formats/flatgeobuf/encode-feature.ts';
import type { ThemeFeature } from '../themes/themes.ts';
import { OvertureError, type OvertureType } from './overture-types.ts';
import type { Row } from './read-rows.ts';
import { round } from '../../geo/round.ts';

/** Places less sure than this to exist are left out. */
const LEAST_CONFIDENCE = 0.5;

/**
 * A row of Overture as features of themes; none when it is of another kind, closed, or without a usable geometry. Throws an
 * `OvertureError` for a geometry in a form that is not known, because all rows of such a file would be dropped without a word.
 */
export function toFeatures(type: OvertureType['type'], row: Row): readonly ThemeFeature[] {
  const kind = text(row['class']) ?? text(row['subtype']);
  const subtype = text(row['subtype']);
  const name = text(record(row['names'])['primary']);
  const values = VALUES[type]({ row, kind, subtype, name });
  if (values.length === 0) return [];
  const geometry = flatGeometry(geometryOf(row));
  if (geometry === null) return [];
  const id = text(row['id']);
  return values.flatMap(([theme, ...own]) => {
    const drawn = theme === 'businesses' ? pointOf(geometry) : geometry;
    if (drawn === null) return [];
    return [{ theme, geometry: drawn, values: [id, ...own, ...(theme === 'buildings' ? [footprint(drawn)] : [])] }];
  });
}

type Value = string | number | null;
type ThemeValues = readonly [theme: ThemeFeature['theme'], ...values: Value[]];

interface Read {
  readonly row: Row;
  /** The class, else the subtype. */
  readonly kind: string | null;
  readonly subtype: string | null;
  readonly name: string | null;
}

/** What each type gives to the themes, without the id and what is measured. */
const VALUES: Readonly<Record<OvertureType['type'], (read: Read) => readonly ThemeValues[]>> = {
  segment: ({ kind, subtype, name }) => (subtype === 'road' ? [['roads', kind ?? 'unclassified', name]] : []),
  water: ({ kind, subtype, name }) => [
    ...(subtype === 'physical' ? [] : [['water', WATER[subtype ?? ''] ?? kind ?? 'water', name] as const]),
    ...(kind === 'dock' ? [['ports', 'dock', name] as const] : []),
  ],
  building: ({ kind, subtype, name }) => [['buildings', kind ?? 'yes', name, isIndustrial(subtype, kind) ? 1 : 0]],
  infrastructure: ({ kind, name }) =>
    kind !== null && PORTS.has(kind) ? [['ports', kind.replaceAll('_', ' '), name]] : [],
  place: ({ row, name }) => businessOf(row, name),
  land_use: ({ row, kind, name }) => (kind !== null && LAND.has(kind) ? landOf(row, kind, name) : []),
};

/** Subtypes of water in the words of the checks. */
const WATER: Readonly<Record<string, string>> = { ocean: 'sea', human_made: 'human_made', wastewater: 'wastewater' };
/** Overture has no class for harbours or ports as a whole. A pier may be anybody's jetty. */
const PORTS: ReadonlySet<string> = new Set(['quay', 'ferry_terminal']);
const INDUSTRIAL: ReadonlySet<string> = new Set([
  'industrial',
  'warehouse',
  'factory',
  'manufacture',
  'silo',
  'storage_tank',
]);

function isIndustrial(subtype: string | null, kind: string | null): boolean {
  return subtype === 'industrial' || (kind !== null && INDUSTRIAL.has(kind));
}

/** Classes of `base/land_use` that work is done on. Fields and orchards are left out: they are no facility. */
const LAND: ReadonlySet<string> = new Set([
  'industrial',
  'works',
  'commercial',
  'logging',
  'farmyard',
  'animal_keeping',
  'aquaculture',
  'greenhouse_horticulture',
  'plant_nursery',
]);
/** Those that are a business without a name too. */
const NAMELESS: ReadonlySet<string> = new Set(['logging', 'farmyard', 'animal_keeping']);

/** Land in use, and the business there, in the words of OpenStreetMap's tags, from which Overture took the classes. */
function landOf(row: Row, kind: string, name: string | null): readonly ThemeValues[] {
  const land = ['industrial', kind, name] as const;
  if (name === null && !NAMELESS.has(kind)) return [land];
  const tag = kind === 'works' ? 'man_made=works' : `landuse=${kind}`;
  return [land, ['businesses', tag, name, tag, namesOf(row, name).join(';')]];
}

function businessOf(row: Row, name: string | null): readonly ThemeValues[] {
  const status = text(row['operating_status']);
  const confidence = row['confidence'];
  if (status === 'permanently_closed' || (typeof confidence === 'number' && confidence < LEAST_CONFIDENCE)) return [];
  const kinds = [...kindsOf(row), ...(isFiling(row) ? [REGISTER_FILING] : [])];
  return [['businesses', kinds[0], name, kinds.join(' '), namesOf(row, name).join(';')]];
}

/**
 * All categories of a place, the main one first: of the taxonomy with its ancestors, the basic one, and those of releases before
 * September 2026. A place without any is a business of unknown kind.
 */
function kindsOf(row: Row): readonly string[] {
  const [taxonomy, categories] = [record(row['taxonomy']), record(row['categories'])];
  const all = [
    taxonomy['primary'],
    row['basic_category'],
    categories['primary'],
    ...list(taxonomy['hierarchy']),
    ...list(taxonomy['alternates']),
    ...list(categories['alternate']),
  ];
  const kinds = [...new Set(all.map(text).filter((kind) => kind !== null))];
  return kinds.length === 0 ? [UNKNOWN_KIND] : kinds;
}

/** Whether a place is known from a register of companies alone, which has the address of a firm and not where it works. */
function isFiling(row: Row): boolean {
  const datasets = list(row['sources'])
    .map((source) => text(record(source)['dataset']))
    .filter((dataset) => dataset !== null);
  return datasets.length > 0 && datasets.every((dataset) => dataset.toLowerCase() === 'brightquery');
}

function namesOf(row: Row, name: string | null): readonly string[] {
  const names = [
    name,
    ...namesIn(record(row['names'])['common']),
    text(record(record(row['brand'])['names'])['primary']),
  ];
  return [...new Set(names.filter((one) => one !== null))];
}

/** Names in other languages: a map, which comes as an object or as a list of keys and values. */
function namesIn(common: unknown): (string | null)[] {
  if (Array.isArray(common)) return common.map((entry) => text(record(entry)['value']));
  return Object.values(record(common)).map(text);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Releases have WKB, as GeoParquet has it; a column of Parquet's own GEOMETRY type comes as GeoJSON. Null: the row has none. */
function geometryOf(row: Row): Geometry | null {
  const value = row['geometry'];
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return parseWkb(value).geometry;
  if (typeof value === 'object' && 'type' in value && 'coordinates' in value) return value as Geometry;
  throw new OvertureError(
    `row ${text(row['id']) ?? '?'}`,
    `wanted a geometry as WKB or as Parquet's GEOMETRY type, got ${typeof value}; this layout of Overture is not known yet`,
  );
}

/** A place inside an area, and a point as it is; null for a line. */
function pointOf(geometry: FlatGeometry): FlatGeometry | null {
  if (geometry.type === 'point') return geometry;
  if (geometry.type !== 'polygon' && geometry.type !== 'multiPolygon') return null;
  const [lon, lat] = insidePoint(geometry.type === 'polygon' ? geometry.rings : geometry.polygons[0]);
  return { type: 'point', lon: round(lon, 7), lat: round(lat, 7) };
}

function flatGeometry(geometry: Geometry | null): FlatGeometry | null {
  switch (geometry?.type) {
    case 'Point': {
      const [lon, lat] = geometry.coordinates;
      return lon === undefined ? null : { type: 'point', lon: round(lon, 7), lat: round(lat, 7) };
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
    out[2 * i] = round(lon, 7);
    out[2 * i + 1] = round(lat, 7);
  }
  return out;
}

function footprint(geometry: FlatGeometry): number {
  const polygons =
    geometry.type === 'polygon' ? [geometry.rings] : geometry.type === 'multiPolygon' ? geometry.polygons : [];
  return round(
    polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0),
    2,
  );
}
