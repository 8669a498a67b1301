import { isRecord } from '../../is-record.ts';
import { codesOf } from '../../messages/recognised/codes-of.ts';
import type { Collection } from '../collection.ts';
import type { PlotRecord } from '../plot-record.ts';
import { isOfEarlierRun } from '../review.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import type { TotalsPlan } from './totals.ts';

export type Properties = Readonly<Record<string, unknown>>;

/** One way to look at the locations of a collection: what an endpoint adds to the properties they came with. */
export interface View {
  readonly name: string;
  /** Whether the collection must have been measured. */
  readonly needsStatistics: boolean;
  /** Whether it also shows a collection that was validated and not measured, staged or completed. */
  readonly takesUnmeasured?: boolean;
  /** The properties it adds, in the order they are written. */
  readonly fields: readonly string[];
  /** Those properties of one location. What is unknown is null, never 0. */
  properties(record: PlotRecord, collection: Collection, period: MonitoringPeriod): Properties;
  /** How many features become one. */
  readonly totals: TotalsPlan;
}

/** A location as fetch endpoints give it. */
export interface FetchedFeature {
  readonly type: 'Feature';
  readonly id?: string | number;
  readonly geometry: unknown;
  readonly properties: Properties;
}

/** What every view shows of a location, before its own fields. */
export const COMMON_FIELDS = [
  'collection_id',
  'location_number',
  'location_type',
  'location_confidence',
  'problem',
] as const;

/** What every view shows after its own fields: decisions of people. */
export const REVIEW_FIELDS = [
  'review_state',
  'review_note',
  'review_by',
  'review_at',
  'review_of_earlier_run',
] as const;

/** A location seen through a view; a computed property wins over one of the input of the same name. */
export function featureOf(
  record: PlotRecord,
  collection: Collection,
  view: View,
  period: MonitoringPeriod,
): FetchedFeature {
  const { feature, number, confidence, problem } = record;
  const computed = view.properties(record, collection, period);
  return {
    type: 'Feature',
    ...(feature.id === undefined ? {} : { id: feature.id }),
    geometry: feature.geometry,
    properties: {
      ...feature.properties,
      collection_id: collection.id,
      location_number: number,
      location_type: record.locationType,
      location_confidence: confidence,
      problem,
      ...reviewFields(record, collection),
      ...computed,
      ...messagesOf(feature.properties, { ...computed, problem }),
    },
  };
}

/**
 * What people decided of a location, as its properties and columns say it; all but the state only where somebody did. Nothing where
 * nobody has looked for reviews.
 */
export function reviewFields(
  { review }: Pick<PlotRecord, 'review'>,
  { completedAt }: Pick<Collection, 'completedAt'>,
): { readonly [Name in (typeof REVIEW_FIELDS)[number]]?: string | boolean } {
  if (review === undefined) return {};
  if (review === null) return { review_state: 'open' };
  return {
    review_state: review.state,
    review_note: review.note,
    review_by: review.by,
    review_at: review.at,
    review_of_earlier_run: isOfEarlierRun(review, completedAt),
  };
}

/** Texts that views give, with codes next to them. */
const TEXTS = ['problem', 'eudr_comment', 'check_reason', 'emissions_reason', 'diversity_reason'] as const;

/** What the texts of a location say, those that it was stored with among them. */
function messagesOf({ messages: stored }: Properties, computed: Properties): Properties {
  const texts = TEXTS.map((name) => [name, typeof computed[name] === 'string' ? computed[name] : null] as const);
  const { messages } = codesOf(Object.fromEntries(texts));
  return messages === undefined ? {} : { messages: { ...(isRecord(stored) ? stored : {}), ...messages } };
}
