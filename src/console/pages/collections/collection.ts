import { call, send, type Answer } from '../../api/client.ts';
import { followTask } from '../../api/follow-task.ts';

export type Collection = Answer<'listCollections'>['collections'][number];
export type Work = Answer<'getCollection'>;
export type PlotFeature = Answer<'fetchDeforestationCheck'>['features'][number];

/** How a collection is processed. */
export interface BatchOptions {
  readonly commodity: string;
  readonly statistics: boolean;
  readonly validate: boolean;
  readonly email: boolean;
  /** Empty: as the service takes it. */
  readonly from: string;
  readonly to: string;
}

export const USUAL_BATCH: BatchOptions = {
  commodity: '',
  statistics: true,
  validate: true,
  email: false,
  from: '',
  to: '',
};

/** Keeps a file as a collection without processing it; gives its id. */
export async function stage(file: File, name: string, commodity: string, signal: AbortSignal): Promise<string> {
  const form = new FormData();
  form.set('collection_name', name);
  if (commodity !== '') form.set('crop_type', commodity);
  form.set('file', file);
  return (await call('stagePlots', { form, signal })).collection_id;
}

/** Begins to process a file, or a collection that was staged; gives the id of the collection. */
export async function process(
  what: File | string,
  name: string,
  options: BatchOptions,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData();
  if (name !== '') form.set('collection_name', name);
  if (options.commodity !== '') form.set('crop_type', options.commodity);
  form.set('stats', String(options.statistics));
  form.set('validate_locations', String(options.validate));
  form.set('eudr_dds', String(options.email));
  if (options.from !== '') form.set('monitoring_start', options.from);
  if (options.to !== '') form.set('monitoring_end', options.to);
  if (typeof what === 'string') form.set('filename', what);
  else form.set('file', what);
  return (await call('processBatch', { form, signal })).collection_id;
}

/** Plots that are read for the page; the rest is in the downloads. */
export const MOST_PLOTS = 1_000;

/** Sums of a collection over its plots. */
export interface Totals {
  readonly area_ha: number | null;
  readonly baseline_forest_ha: number | null;
  readonly noncompliance_area_ha: number | null;
  readonly loss_ha_by_year: Readonly<Record<string, number>> | null;
  readonly loss_in_baseline_ha_by_year: Readonly<Record<string, number>> | null;
  readonly eudr_status_counts: Readonly<Record<string, number>>;
  readonly datasets: readonly { readonly dataset: string; readonly version: string; readonly synthetic: boolean }[];
}

export interface Biomass {
  readonly agb_t: number | null;
  readonly agb_t_by_year: Readonly<Record<string, number>> | null;
  readonly luc_tco2eyear: number | null;
}

const GEOJSON = 'application/geo+json';

/** What was measured of a completed collection. */
export async function statisticsOf(id: string, signal: AbortSignal) {
  const query = { filename: id };
  const [loss, biomass, plots] = await Promise.all([
    call('fetchDeforestationCheck', { query: { ...query, aggregate: true }, accept: GEOJSON, signal }),
    call('fetchBiomassEmissions', { query: { ...query, aggregate: true }, accept: GEOJSON, signal }),
    call('fetchDeforestationCheck', {
      query: { ...query, plots_only: true, limit: MOST_PLOTS },
      accept: GEOJSON,
      signal,
    }),
  ]);
  return {
    totals: loss.features[0]?.properties as unknown as Totals,
    biomass: biomass.features[0]?.properties as unknown as Biomass,
    plots: plots.features,
  };
}

/** The due diligence export as a file. A large collection becomes a task first, which is waited for. */
export async function exportDds(id: string, from: string | null, signal: AbortSignal): Promise<Blob> {
  const query = { filename: id, ...(from === null ? {} : { monitoring_start: from }) };
  for (;;) {
    const response = await send('exportEudrDds', { query, accept: 'application/zip', signal });
    if (response.status !== 202) return await response.blob();
    const { task_id: task } = (await response.json()) as { task_id: string };
    let last = null;
    for await (const state of followTask(task, signal)) last = state;
    if (last?.status !== 'completed') throw new Error(last?.error?.detail ?? task);
  }
}
