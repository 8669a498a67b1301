import { isRecord } from '../../is-record.ts';
import { codesOf } from '../../messages/recognised/codes-of.ts';
import type { CollectionReader } from '../collection.ts';
import { fetchFeatures, type Page } from '../fetch/fetch-features.ts';
import type { Selection } from '../fetch/select-features.ts';
import { foldTotals } from '../fetch/totals.ts';
import type { FetchedFeature, Properties, View } from '../fetch/view.ts';
import { indexSheds, type ShedHit } from './index-sheds.ts';
import { emptyShed, measureSheds, placeOf, type MeasuredPlots, type MeasuredShed } from './measure-sheds.ts';
import { shedOf, type Shed, type ShedOptions } from './shed.ts';
import { shedPlotView } from './shed-plot-view.ts';

type Reader = Pick<CollectionReader, 'records'>;

/** Facilities of one answer: their totals are held in memory while the plots pass by. */
export const MAX_SHEDS = 5_000;
/** Facilities a plot of several sheds is listed with. */
const MAX_SHEDS_OF_PLOT = 10;

/** A question about supply sheds. */
export interface ShedQuestion {
  /** The facilities. */
  readonly facilities: Selection;
  /** The plots that may lie in their sheds. */
  readonly plots: Selection;
  readonly options: ShedOptions;
  /** Said of the plots in every answer. */
  readonly plotsDescription: Properties;
}

/** A facility with its shed, or with the reason why it has none. */
interface FacilityShed {
  readonly feature: FetchedFeature;
  readonly measured: MeasuredShed | string;
}

export interface FetchedSheds {
  readonly features: readonly FetchedFeature[];
  readonly next: string | null;
  /** The features as one. */
  readonly totals: () => FetchedFeature;
}

/** What the sheds of a page of facilities hold. */
export async function fetchSheds(
  reader: Reader,
  question: ShedQuestion,
  page: Page,
  signal: AbortSignal,
): Promise<FetchedSheds> {
  const limited = { after: page.after, limit: Math.min(page.limit ?? MAX_SHEDS, MAX_SHEDS) };
  const { features, next } = await fetchFeatures(reader, question.facilities, limited, signal);
  const facilities: FacilityShed[] = [];
  for await (const feature of features) {
    const shed = shedOf(feature, question.options);
    facilities.push({ feature, measured: typeof shed === 'string' ? shed : emptyShed(shed) });
  }
  const sheds = facilities.map(({ measured }) => measured).filter((measured) => typeof measured !== 'string');
  const plots = await measureSheds(reader, sheds, question.plots, signal);
  const about = {
    ...question.plotsDescription,
    plots_looked_at: plots.looked,
    plots_without_place: plots.withoutPlace,
  };
  return {
    features: facilities.map((facility) => shedFeature(facility, about)),
    next,
    totals: () => totalsFeature(facilities, plots, about),
  };
}

function shedFeature({ feature, measured }: FacilityShed, about: Properties): FetchedFeature {
  const properties: Properties = typeof measured === 'string' ? unusableShed(measured) : shedProperties(measured);
  const { messages } = feature.properties;
  // The facility has texts of its own.
  const all = isRecord(messages) ? { messages: { ...messages, ...(properties['messages'] as object) } } : {};
  return { ...feature, properties: { ...feature.properties, ...properties, ...all, ...about } };
}

function shedProperties({ shed, totals, distances }: MeasuredShed): Properties {
  const result = totals.result();
  return {
    supply_shed_kind: shed.kind,
    supply_shed_radius_m: shed.radiusM,
    supply_shed_problem: null,
    ...result,
    nearest_plot_m: result.plots === 0 ? null : Math.round(distances.nearestM),
    farthest_plot_m: result.plots === 0 ? null : Math.round(distances.farthestM),
  };
}

/** Every total is null: nothing is known of a shed that is not there. */
function unusableShed(problem: string): Properties {
  const {
    datasets,
    known: _known,
    unknown: _unknown,
    means: _means,
    messages: _messages,
    ...totals
  } = foldTotals(shedPlotView.totals).result();
  return {
    supply_shed_kind: null,
    supply_shed_radius_m: null,
    supply_shed_problem: problem,
    ...codesOf({ supply_shed_problem: problem }),
    ...Object.fromEntries(Object.keys(totals).map((name) => [name, null])),
    datasets,
    nearest_plot_m: null,
    farthest_plot_m: null,
  };
}

function totalsFeature(facilities: readonly FacilityShed[], plots: MeasuredPlots, about: Properties): FetchedFeature {
  const unusable = facilities.filter(({ measured }) => typeof measured === 'string').length;
  return {
    type: 'Feature',
    geometry: null,
    properties: {
      aggregate: true,
      facilities: facilities.length,
      facilities_without_shed: unusable,
      ...plots.totals.result(),
      ...about,
    },
  };
}

/**
 * The plots that lie in any of the sheds, each once, with the facilities whose sheds they lie in, the nearest first. Null
 * where there are more facilities than one answer can hold.
 */
export async function fetchShedPlots(
  reader: Reader,
  question: ShedQuestion,
  page: Page,
  signal: AbortSignal,
): Promise<{
  readonly selection: Selection;
  readonly features: AsyncIterable<FetchedFeature>;
  readonly next: string | null;
} | null> {
  const limited = { after: null, limit: MAX_SHEDS };
  const all = await fetchFeatures(reader, { ...question.facilities, filters: [] }, limited, signal);
  if (all.next !== null) return null;
  const sheds: (Shed & { readonly properties: Properties })[] = [];
  for await (const feature of all.features) {
    const shed = shedOf(feature, question.options);
    if (typeof shed !== 'string') sheds.push({ ...shed, properties: feature.properties });
  }
  const find = indexSheds(sheds);
  const hitsOf = (record: Parameters<typeof placeOf>[0]) => {
    const at = placeOf(record);
    return at === null ? [] : find(at);
  };
  const nearestFirst = (a: ShedHit<Shed>, b: ShedHit<Shed>): number => a.distanceM - b.distanceM;
  const view: View = {
    ...shedPlotView,
    fields: [...shedPlotView.fields, 'supply_sheds', 'supply_shed_count'],
    properties(record, collection, period) {
      const hits = hitsOf(record).toSorted(nearestFirst);
      return {
        ...shedPlotView.properties(record, collection, period),
        supply_sheds: hits.slice(0, MAX_SHEDS_OF_PLOT).map(({ shed: { properties }, distanceM }) => ({
          collection_id: properties['collection_id'],
          location_number: properties['location_number'],
          location_id: properties['location_id'] ?? null,
          distance_m: Math.round(distanceM),
        })),
        supply_shed_count: hits.length,
      };
    },
  };
  const { plots } = question;
  const selection: Selection = {
    ...plots,
    view,
    wants: (record) => plots.wants?.(record) !== false && hitsOf(record).length > 0,
  };
  return { selection, ...(await fetchFeatures(reader, selection, page, signal)) };
}
