import type { ProducerState } from '../producer-score.ts';
import type { DatasetRef } from '../sources.ts';
import type { Params, Said } from '../../messages/said.ts';

/** Everything looked at, in the order of the receipt. `country` and `latitude` decide levels and carry no penalty of their own. */
const INDICATORS = [
  'country',
  'latitude',
  'commodity_presence',
  'poi_presence',
  'building_presence',
  'road_access',
  'water_access',
  'port_proximity',
  'high_density',
  'producer_confirmation',
] as const;

export type Indicator = (typeof INDICATORS)[number];

/** `unknown` is never the same as absent: nobody looked, or nobody could. */
export type Status = 'present' | 'absent' | 'unknown';

/** Why an indicator is unknown: no dataset covers the place and the area searched, a source failed, or the caller did not request it. */
export type UnknownCause = 'not_covered' | 'failed' | 'not_requested';

/** What one check found. */
export interface Finding {
  readonly indicator: Indicator;
  readonly status: Status;
  /** At most two decimals. */
  readonly value: number;
  /** The highest value that it may have all the same, where `value` is what is known at least. */
  readonly upTo?: number;
  readonly dataset: DatasetRef | null;
  /** Whole metres to the nearest thing that counts. */
  readonly distanceM?: number;
  /** Name of that thing. */
  readonly name?: string;
  /** One sentence for people. */
  readonly detail: Said;
  readonly cause?: UnknownCause;
  /** What the best record of a registry amounts to; only where one was queried. */
  readonly producerState?: ProducerState;
}

/** One entry of the receipt as clients see it. */
export interface Evidence {
  readonly indicator: Indicator;
  readonly status: Status;
  readonly value: number;
  /** The highest value that it may have all the same, where `value` is only what is known at least. */
  readonly value_up_to?: number;
  /** Taken off 1.00; the score is 1.00 less all of these, not below 0. */
  readonly penalty: number;
  /** The most this indicator can take off the score of this request; 0 where it is not scored. */
  readonly weight: number;
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  /** The other datasets, where several were taken together. */
  readonly also?: readonly { readonly dataset: string; readonly dataset_version: string }[];
  readonly distance_m?: number;
  /** Of the producer alone: what the best record of a registry amounts to. */
  readonly producer_state?: ProducerState;
  /** Present when the dataset is generated and describes no real place. */
  readonly synthetic?: true;
  /** When a live service gave the answer, in ISO 8601. */
  readonly retrieved_at?: string;
  /** What `detail` says, as a code with parameters: from these it is written in other languages. */
  readonly code: string;
  readonly params: Params;
  readonly detail: string;
  /** Where the accuracy of the dataset is written down, relative to the address of the service. */
  readonly about?: string;
}
