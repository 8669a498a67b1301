import type { CollectionReader } from '../collection.ts';
import { countPlots } from '../counted-ground.ts';
import { cursorText, type Cursor } from './cursor.ts';
import { selectFeatures, type Selection } from './select-features.ts';
import { foldTotals, shareReader } from './totals.ts';
import type { FetchedFeature, Properties } from './view.ts';

type Reader = Pick<CollectionReader, 'records'>;

/** A part of a selection. */
export interface Page {
  /** The last location of the page before; null begins at the first. */
  readonly after: Cursor | null;
  /** Most locations; null takes all. */
  readonly limit: number | null;
}

interface FetchedPage {
  /** One location after another, read as they are needed. */
  readonly features: AsyncIterable<FetchedFeature>;
  /** `after` of the next page; null on the last. */
  readonly next: string | null;
}

/** The features of a page. With a limit it is read twice, first to learn whether another page follows. */
export async function fetchFeatures(
  reader: Reader,
  selection: Selection,
  { after, limit }: Page,
  signal: AbortSignal,
): Promise<FetchedPage> {
  if (limit === null) return { features: featuresOf(reader, selection, after, Infinity, signal), next: null };
  const { count, next } = await findPageEnd(reader, selection, { after, limit }, signal);
  return {
    features: featuresOf(reader, selection, after, count, signal),
    next: next === null ? null : cursorText(next),
  };
}

async function* featuresOf(
  reader: Reader,
  selection: Selection,
  after: Cursor | null,
  count: number,
  signal: AbortSignal,
): AsyncGenerator<FetchedFeature, void> {
  let given = 0;
  if (count === 0) return;
  for await (const { feature } of selectFeatures(reader, selection, after, signal)) {
    yield feature;
    if (++given === count) return;
  }
}

/**
 * One feature without geometry in place of all of a page: totals of its plots, counts of its locations. Every total is the
 * sum of what the features would have said, with the ground that plots of the page share counted once. Groups count facilities too.
 */
export async function fetchTotals(
  reader: Reader,
  selection: Selection,
  page: Page,
  signal: AbortSignal,
): Promise<FetchedFeature> {
  const totals = foldTotals(selection.view.totals);
  const shareOf = shareReader(selection.view.totals);
  const isGrouped = selection.view.fields.includes('plot_group');
  const counted = countPlots();
  const counts = { locations: 0, facilities: 0, problems: 0 };
  const groups: Record<string, number> = {};
  const { after, limit } = page;
  for await (const { at, record, feature } of selectFeatures(reader, selection, after, signal)) {
    if (limit !== null && counts.locations === limit) break;
    counts.locations++;
    if (record.problem !== null) counts.problems++;
    if (isGrouped) {
      const group = String(feature.properties['plot_group'] ?? 'unknown');
      groups[group] = (groups[group] ?? 0) + 1;
    }
    if (record.locationType === 'facility') {
      counts.facilities++;
      continue;
    }
    const share = shareOf(feature.properties);
    totals.add(share, counted.add(selection.collections[at.collection]!.collection.id, record, share.known));
  }
  const properties: Properties = {
    aggregate: true,
    ...counts,
    ...(isGrouped ? { plot_group_counts: groups } : {}),
    ...totals.result(),
    ...describeSelection(selection),
  };
  return { type: 'Feature', geometry: null, properties };
}

/** What the answer is about: the collections with their period and the confidence that was stored with them. */
export function describeSelection({ collections }: Pick<Selection, 'collections'>): Properties {
  return {
    collections: collections.map(({ collection, period }) => ({
      collection_id: collection.id,
      collection_name: collection.name,
      monitoring_start: period.start,
      monitoring_end: period.end,
      locations_confidence: collection.locationsConfidence,
    })),
  };
}

/** Where a page ends. */
interface PageEnd {
  /** How many locations are on it. */
  readonly count: number;
  /** The last location of the page where another one follows; null on the last page. */
  readonly next: Cursor | null;
}

/** Reads a page and one location more, without keeping them, to learn whether another page follows. */
async function findPageEnd(
  reader: Pick<CollectionReader, 'records'>,
  selection: Selection,
  page: { readonly after: Cursor | null; readonly limit: number },
  signal: AbortSignal,
): Promise<PageEnd> {
  let count = 0;
  let last: Cursor | null = null;
  for await (const { at } of selectFeatures(reader, selection, page.after, signal)) {
    if (count === page.limit) return { count, next: last };
    count++;
    last = at;
  }
  return { count, next: null };
}
