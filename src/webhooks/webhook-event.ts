import { randomUUID } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { MAX_BODY_BYTES } from './delivery.ts';
import { CUT_OFF } from '../monitoring-days.ts';

export const EVENT_TYPES = ['batch_zonal_stats_complete', 'test_event', 'batch_failed', 'collection_changed'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
/** What every webhook gets. */
export const ALWAYS_SENT = ['batch_zonal_stats_complete', 'test_event'] as const satisfies readonly EventType[];

/** An event as it is sent, the same bytes in every attempt. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType;
  /** Canonical JSON, ASCII. */
  readonly body: string;
  readonly createdAt: Date;
}

/**
 * Makes the event that reports `data`. Throws a `TypeError` or `RangeError` for data that has no canonical form
 * (fractions, unpaired surrogates) or is larger than {@link MAX_BODY_BYTES} when written.
 */
export function createEvent(type: EventType, data: Readonly<Record<string, unknown>>, createdAt: Date): WebhookEvent {
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const body = canonicalJson({ id, type, data, created_at: createdAt.toISOString() });
  if (body.length > MAX_BODY_BYTES)
    throw new RangeError(`an event has at most ${MAX_BODY_BYTES} bytes, this one has ${body.length}`);
  return { id, type, body, createdAt };
}

/** The collection that an event of a batch is about. */
export interface AnnouncedCollection {
  /** `filename` in the addresses. */
  readonly collectionId: string;
  readonly collectionName: string;
  readonly description: string;
  /** Locations by kind, whole numbers. */
  readonly counts: Readonly<Record<'locations' | 'plots' | 'facilities' | 'measured' | 'problems', number>>;
  /** As stored; null where nothing validated the locations. */
  readonly locationsConfidence: string | null;
}

/** `YYYY-MM-DD`. */
interface BatchPeriod {
  readonly monitoringStart: string;
  readonly monitoringEnd: string;
}

/** Why a batch has no results. */
interface BatchStop {
  readonly status: 'failed' | 'cancelled';
  readonly code: string;
  /** A sentence. */
  readonly detail: string;
}

/** Path and whether it is one of the EUDR addresses, by key of `urls`. */
const FETCHES = {
  biomass_emissions: ['fetch_biomass_emissions', false],
  biodiversity: ['fetch_biodiversity', false],
  deforestation_check: ['fetch_deforestation_check', false],
  deforestation_check_eudr: ['fetch_deforestation_check', true],
  export_eudr_dds: ['export_eudr_dds', true],
} as const satisfies Record<string, readonly [path: string, eudr: boolean]>;

/** What can be fetched of a collection whose plots were measured, under `baseUrl` (no slash at its end). */
export function fetchUrls(
  { collectionId, monitoringStart, monitoringEnd }: BatchPeriod & Pick<AnnouncedCollection, 'collectionId'>,
  baseUrl: string,
): Readonly<Record<keyof typeof FETCHES, string>> {
  const urls = Object.entries(FETCHES).map(([key, [path, eudr]]) => {
    const query = new URLSearchParams({
      filename: collectionId,
      monitoring_start: eudr ? CUT_OFF : monitoringStart,
      monitoring_end: monitoringEnd,
    });
    return [key, `${baseUrl}/${path}?${query}`];
  });
  return Object.fromEntries(urls) as Record<keyof typeof FETCHES, string>;
}

/** `data` of `batch_zonal_stats_complete`. */
export function batchCompleteData(
  batch: AnnouncedCollection & BatchPeriod,
  baseUrl: string,
): Readonly<Record<string, unknown>> {
  return { ...collectionData(batch), urls: fetchUrls(batch, baseUrl) };
}

/** `data` of `batch_failed`; its counts are of what had been processed by then. */
export function batchFailedData(
  batch: AnnouncedCollection,
  { status, code, detail }: BatchStop,
): Readonly<Record<string, unknown>> {
  return { ...collectionData(batch), status, error: { code, detail } };
}

/** Plots that an event names; the counts are of all, and `url` leads to the others. */
export const EVENT_PLOTS = 100;

/** What a run of a watch has to report. */
interface WatchOutcome {
  /** Its number. */
  readonly run: number;
  readonly outcome: 'changed' | 'not_measured' | 'failed';
  /** Why it failed; null otherwise. */
  readonly reason: string | null;
  readonly datasets: readonly object[];
  /** Null where it failed. */
  readonly counts: object | null;
  readonly changes: readonly (PlotOutcome & { readonly direction: string; readonly after: ComparedPlot })[];
  readonly unmeasured: readonly (PlotOutcome & { readonly reasons: readonly string[] })[];
  readonly newPlots: readonly (Omit<PlotOutcome, 'before'> & { readonly after: ComparedPlot })[];
}

interface PlotOutcome {
  readonly plot: string;
  readonly number: number;
  readonly before: ComparedPlot;
}

interface ComparedPlot {
  readonly verdict: string | null;
  readonly eudrStatus: string;
  readonly lossM2: number | null;
  readonly rules: readonly string[];
}

/** `data` of `collection_changed`. */
export function collectionChangedData(
  { collectionId, collectionName }: Pick<AnnouncedCollection, 'collectionId' | 'collectionName'>,
  outcome: WatchOutcome,
  baseUrl: string,
): Readonly<Record<string, unknown>> {
  const { run, reason, datasets, counts, changes, unmeasured, newPlots } = outcome;
  return {
    collection_id: collectionId,
    collection_name: collectionName,
    run,
    outcome: outcome.outcome,
    reason,
    datasets,
    counts,
    changes: changes.slice(0, EVENT_PLOTS).map(({ plot, number, direction, before, after }) => ({
      plot,
      number,
      direction,
      before: comparedData(before),
      after: comparedData(after),
    })),
    not_measured: unmeasured.slice(0, EVENT_PLOTS).map(({ plot, number, reasons, before }) => ({
      plot,
      number,
      reasons,
      before: comparedData(before),
    })),
    only_after_not_cleared: newPlots.slice(0, EVENT_PLOTS).map(({ plot, number, after }) => ({
      plot,
      number,
      after: comparedData(after),
    })),
    url: `${baseUrl}/collections/${collectionId}/watch/runs/${run}`,
  };
}

/** As endpoints and events give it: areas in whole square metres. */
export function comparedData({ verdict, eudrStatus, lossM2, rules }: ComparedPlot) {
  return { verdict, eudr_status: eudrStatus, loss_m2: lossM2, rules };
}

function collectionData(batch: AnnouncedCollection): Readonly<Record<string, unknown>> {
  const { locations, plots, facilities, measured, problems } = batch.counts;
  return {
    collection_id: batch.collectionId,
    collection_name: batch.collectionName,
    description: batch.description,
    counts: { locations, plots, facilities, measured, problems },
    locations_confidence: batch.locationsConfidence,
  };
}
