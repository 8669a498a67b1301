import type { UncheckedFeature } from '../geo/geometry.ts';
import type { GeocodePrecision } from './sources.ts';
import type { LocationType } from './values/parse-location-type.ts';
import type { LocationWarning } from './warnings.ts';
import { isExactNumber } from '../geo/parse-json.ts';

/** The properties the EU information system reads, in its own spelling. */
export interface EudrProperties {
  readonly ProducerName: string | null;
  readonly ProducerCountry: string | null;
  readonly ProductionPlace: string | null;
  /** Hectares. */
  readonly Area: number | null;
}

/** Where a value comes from: a column of the input, a field of the request, the map at the coordinates, the outline, the address. */
export type ValueOrigin =
  | { readonly from: 'column'; readonly column: string }
  | { readonly from: 'request' | 'position' | 'geometry' | 'geocoding' };

/** Where each of the properties for the EU information system comes from; null where there is no value. */
export type EudrOrigins = Readonly<Record<keyof EudrProperties, ValueOrigin | null>>;

/**
 * The properties of a normalised location, in the order they are written. A type, not an interface: a location is then also a
 * feature of any properties, as collections store it.
 */
export type LocationProperties = {
  readonly location_id: string | number | null;
  readonly location_type: LocationType;
  readonly name: string | null;
  readonly supplier_name: string | null;
  readonly address: string | null;
  readonly admin1: string | null;
  /** Short English name. */
  readonly country: string | null;
  /** ISO alpha-2. */
  readonly country_code: string | null;
  readonly commodity_type: string | null;
  /** Hectares, four decimals: measured for a polygon, stated for a point. */
  readonly area_ha: number | null;
  readonly geometry_source: 'input' | 'geocoded' | 'none';
  readonly geocode_precision: GeocodePrecision | null;
  readonly geocode_confidence: number | null;
  /** The row as the spreadsheet shows it. */
  readonly source_row: number;
  /** The sheet or layer; absent where the file has one nameless table. */
  readonly source_sheet?: string;
  readonly eudr: EudrProperties;
  readonly eudr_origin: EudrOrigins;
  readonly warnings: readonly LocationWarning[];
  /** The input's own columns. */
  readonly source: Readonly<Record<string, unknown>>;
};

/** A row of a file as a feature: the one that validation, collections and exports add to. */
export type NormalizedLocation = UncheckedFeature<LocationProperties>;

type Cell = string | number | boolean | null | undefined;

/** Properties with one value that every location has, in the order in which they are written. */
export const PLAIN_PROPERTIES = [
  'location_id',
  'location_type',
  'name',
  'supplier_name',
  'address',
  'admin1',
  'country',
  'country_code',
  'commodity_type',
  'area_ha',
  'geometry_source',
  'geocode_precision',
  'geocode_confidence',
  'source_row',
] as const;

const PLAIN = [...PLAIN_PROPERTIES, 'source_sheet'] as const;

/** Locations as a table: plain values, the warnings as sentences, the geometry as GeoJSON text, the input's columns as JSON text. */
export const locationColumns = {
  header: ['id', ...PLAIN, 'longitude', 'latitude', 'warnings', 'geometry', 'source'] as readonly string[],

  /** As many cells as the header has names. */
  row({ id, geometry, properties }: NormalizedLocation): readonly Cell[] {
    const [longitude, latitude] = pointOf(geometry);
    return [
      isExactNumber(id) ? id.rawJSON : id,
      ...PLAIN.map((name): Cell => properties[name]),
      longitude,
      latitude,
      properties.warnings.map(({ message }) => message).join(' | '),
      geometry === null ? null : JSON.stringify(geometry),
      JSON.stringify(properties.source),
    ];
  },
};

function pointOf(geometry: unknown): readonly [Cell, Cell] {
  const { type, coordinates } = (geometry ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type !== 'Point' || !Array.isArray(coordinates)) return [null, null];
  const [lon, lat] = coordinates as unknown[];
  return typeof lon === 'number' && typeof lat === 'number' ? [lon, lat] : [null, null];
}
