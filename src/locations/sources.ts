import type { LonLat } from '../geo/shapes/shape.ts';
import type { ProposeColumns } from './columns/column-question.ts';
import type { WordSources } from './columns/value-votes.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** Where a place lies. */
export interface Place {
  /** Null on the high seas. */
  readonly country: { readonly iso2: string; readonly name: string } | null;
  /** ISO alpha-2 of other countries within 5 km. */
  readonly neighbours: readonly string[];
  /** Only where the ground is disputed. */
  readonly disputed?: {
    /** The territory, as it stands in a sentence. */
    readonly name: string;
    /** Names of those who claim it in addition to `country`. */
    readonly otherClaims: readonly string[];
    /** ISO alpha-2 codes of those of them that have one. */
    readonly otherCodes: readonly string[];
  };
}

/** How near to the place a geocoded point is, best first. */
export const PRECISIONS = ['exact', 'street', 'locality', 'region', 'country'] as const;
export type GeocodePrecision = (typeof PRECISIONS)[number];

/** What a row says of its place. */
export interface GeocodeQuery {
  readonly address: string | null;
  readonly locality: string | null;
  /** The column of `locality` is one of districts: what it names is wider than the town of that name. */
  readonly localityIsDistrict?: boolean;
  readonly admin1: string | null;
  /** ISO alpha-2. */
  readonly country: string | null;
  /** Name of the place, used only where nothing else is known. */
  readonly name: string | null;
}

export interface GeocodeAnswer {
  readonly at: LonLat;
  readonly precision: GeocodePrecision;
  /** 0 to 1: how likely the place lies within 25 km of the point. */
  readonly confidence: number;
  /** What was found, for people. */
  readonly name: string;
  readonly country: string | null;
  readonly admin1: string | null;
  readonly provider: string;
}

export interface GeocodeOutcome {
  readonly answer: GeocodeAnswer | null;
  /** Providers that failed, with the reason as part of a sentence. */
  readonly failures: readonly { readonly provider: string; readonly reason: string }[];
}

/** What finding out columns queries. */
export interface ColumnSources extends WordSources {
  /** Fields for columns that the rules could not place; absent where no language model is set up. */
  readonly proposeColumns?: ProposeColumns;
}

/** How a dataset is cited. */
export interface LocationDataset {
  readonly id: string;
  readonly version: string;
  readonly licence: string;
  readonly attribution: string;
  readonly synthetic: boolean;
}

/** Everything normalising queries; `service/` joins it to readers. */
export interface LocationSources extends ColumnSources {
  whereabouts(at: LonLat): MaybePromise<Place | null>;
  /** Short English name of an ISO alpha-2 code. */
  countryName(iso2: string): string;
  geocode(query: GeocodeQuery, signal: AbortSignal): MaybePromise<GeocodeOutcome>;
  /** The datasets that the answers came from so far. */
  datasets(): readonly LocationDataset[];
}
