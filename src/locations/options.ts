import type { ColumnMapping } from './columns/detect-columns.ts';
import type { LocationType } from './values/parse-location-type.ts';

/** What the caller requested. Values are already checked. */
export interface LocationOptions {
  /** Type of every row; null: found out for each. */
  readonly locationType: LocationType | null;
  /** For rows that name none. */
  readonly commodity: string | null;
  /** ISO alpha-2 for rows that name no country. */
  readonly country: string | null;
  readonly mapping: ColumnMapping;
  /** Find rows without coordinates by their address. */
  readonly geocode: boolean;
  /** EPSG code of coordinates that the file says nothing of, as `EPSG:32748`; null: degrees. */
  readonly crs: string | null;
  /** Names of the sheets or layers to read; null: all that hold locations. */
  readonly sheets: readonly string[] | null;
}

export const DEFAULT_LOCATION_OPTIONS: LocationOptions = {
  locationType: null,
  commodity: null,
  country: null,
  mapping: {},
  geocode: true,
  crs: null,
  sheets: null,
};
