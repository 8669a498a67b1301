import type { UncheckedFeature } from '../geo/geometry.ts';
import type { Evidence } from '../plots/evidence.ts';
import type { Review } from './review.ts';

/** Hectares by year, `{"2021": 0.54}`; a year without any is left out. */
export type ByYear = Readonly<Record<string, number>>;

/** Where a number comes from: the receipt. */
export interface DatasetUse {
  readonly dataset: string;
  readonly version: string;
  readonly synthetic: boolean;
}

/**
 * What a dataset said about a plot, or why nothing did. `coveredShare` is the part of the plot's area where the dataset has
 * data, over 0 and up to 1: nothing is measured where it is 0.
 */
export type Measured<T> =
  | (DatasetUse & T & { readonly status: 'measured'; readonly coveredShare: number })
  | { readonly status: 'unknown'; readonly reason: string };

/** Hectares of forest on 2020-12-31. */
export interface Baseline {
  readonly forestHa: number;
}

/** Hectares of tree cover lost, by year of the loss, and the part of them inside the baseline forest. */
export interface Losses {
  readonly lossHa: ByYear;
  /** Null where the baseline is unknown. */
  readonly inBaselineHa: ByYear | null;
  /** First and last year the dataset covers, both inclusive. */
  readonly years: readonly [first: number, last: number];
}

/** Above-ground biomass of the whole plot in tonnes of dry matter, by the year of the map. */
export interface Biomass {
  readonly tonnes: ByYear;
}

/** Rao's quadratic entropy over the pixels of the plot. */
export interface Diversity {
  readonly score: number;
  /** What it was measured on. */
  readonly basis: 'canopy-height' | 'embeddings';
  readonly year: number | null;
}

/** Everything measured about a plot, for any monitoring period: endpoints cut it to the requested period. */
export interface PlotStatistics {
  /** Geodesic hectares of the ground that was measured. */
  readonly areaHa: number;
  /** A polygon as it is, or a circle of the stated area around a point. */
  readonly ground: 'polygon' | 'circle';
  readonly baseline: Measured<Baseline>;
  /** One entry a dataset of losses, in the order of the catalogue; never empty: `unknown` when none covers the plot. */
  readonly losses: readonly Measured<Losses>[];
  readonly biomass: Measured<Biomass>;
  readonly diversity: Measured<Diversity>;
  /** What every layer that reaches the plot has on it; absent in records of versions that did not gather it. */
  readonly evidence?: readonly Evidence[];
}

export const CONFIDENCES = ['high', 'medium', 'low', 'invalid'] as const;
export const NOT_PROCESSED = [
  'not processed: validation confidence too low',
  'not processed: geocoding failed',
  'not processed: geocoding too imprecise',
] as const;
/** What validation said of a location, or why it was not processed. */
export type LocationsConfidence = (typeof CONFIDENCES)[number] | (typeof NOT_PROCESSED)[number];

/** A location of a file as normalisation leaves it: geometry in EPSG:4326, or null. */
export type PlotFeature = UncheckedFeature;

/** Where the ground of a plot lies on that of earlier plots of its collection. Numbers are those of records. */
export interface EarlierGround {
  /** The first plot that has this very ground, where that is another one: it stands for all of them. */
  readonly sameAs: number | null;
  /**
   * Pieces that do not overlap: the share of the plot's own area, over 0 and up to 1, and the earlier plots that lie there.
   * Of several plots with the same ground the first alone is named.
   */
  readonly pieces: readonly (readonly [share: number, ...plots: number[]])[];
}

/** A location of a collection as it is kept. */
export interface PlotRecord {
  /** Place in the collection, from 0, in the order of the file. */
  readonly number: number;
  readonly locationType: 'plot' | 'facility';
  readonly feature: PlotFeature;
  /** Null where validation was not requested. */
  readonly confidence: LocationsConfidence | null;
  /** Null for a facility, where statistics were not requested, and where `problem` says why there are none. */
  readonly statistics: PlotStatistics | null;
  /** Why the location could not be measured, as a sentence; null where it could. */
  readonly problem: string | null;
  /** One of the commodities with rules of their own; null: none is stated, or another. Absent in records of versions up to 0.1. */
  readonly commodity?: string | null;
  /** Absent where it was not compared with the plots before it, as in records of versions up to 0.1. */
  readonly earlier?: EarlierGround;
  /**
   * Whether a plot has what a statement needs: a usable place, and nothing that keeps it out. Absent in facilities, and in records
   * of versions that did not look.
   */
  readonly fit?: boolean;
  /**
   * What people decided of it last; null where nobody did. Absent where nobody has looked: a batch writes none, `records` of a reader
   * adds it.
   */
  readonly review?: Review | null;
}
