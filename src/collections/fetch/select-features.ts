import type { Collection, CollectionReader } from '../collection.ts';
import type { PlotRecord } from '../plot-record.ts';
import type { Cursor } from './cursor.ts';
import { matchesAll, type ColumnFilter } from './filter.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import { featureOf, type FetchedFeature, type View } from './view.ts';

/** A collection and the period it is looked at. */
export interface FetchedCollection {
  readonly collection: Collection;
  readonly period: MonitoringPeriod;
}

/** What is fetched: which locations, seen how. */
export interface Selection {
  readonly collections: readonly FetchedCollection[];
  readonly view: View;
  readonly filters: readonly ColumnFilter[];
  /** Locations it is about, checked before anything is worked out about one; absent: all. */
  readonly wants?: (record: PlotRecord) => boolean;
}

export function isPlot({ locationType }: Pick<PlotRecord, 'locationType'>): boolean {
  return locationType === 'plot';
}

export function isFacility({ locationType }: Pick<PlotRecord, 'locationType'>): boolean {
  return locationType === 'facility';
}

interface Selected {
  readonly at: Cursor;
  readonly record: PlotRecord;
  readonly feature: FetchedFeature;
}

/**
 * The locations of a selection in the order of the collections and of their files, starting after `after`. Holds one
 * location at a time; ends with an error when `signal` aborts.
 */
export async function* selectFeatures(
  reader: Pick<CollectionReader, 'records'>,
  selection: Selection,
  after: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<Selected, void> {
  const { collections, view, filters, wants } = selection;
  for (const [index, { collection, period }] of collections.entries()) {
    if (after !== null && index < after.collection) continue;
    const from = after?.collection === index ? after.number + 1 : 0;
    for await (const record of reader.records(collection, from)) {
      signal.throwIfAborted();
      if (wants !== undefined && !wants(record)) continue;
      const feature = featureOf(record, collection, view, period);
      if (matchesAll(feature.properties, filters))
        yield { at: { collection: index, number: record.number }, record, feature };
    }
  }
}
