import type { UncheckedFeature } from '../geo/geometry.ts';
import type { GeocodePrecision } from './sources.ts';
import type { LocationType } from './values/parse-location-type.ts';
import type { LocationWarning } from './warnings.ts';

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
