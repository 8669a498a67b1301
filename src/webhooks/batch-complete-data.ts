/** What `batch_zonal_stats_complete` tells of. */
export interface CompletedBatch {
  /** Id of the collection, `filename` in the addresses. */
  readonly collectionId: string;
  readonly collectionName: string;
  readonly description: string;
  /** `YYYY-MM-DD`. */
  readonly monitoringStart: string;
  readonly monitoringEnd: string;
}

/** The cut-off date of the EU deforestation regulation, which the two EUDR addresses begin at. */
export const EUDR_MONITORING_START = '2020-12-31';
export const DEFAULT_MONITORING_START = '2017-01-01';

/** Path and whether it is one of the EUDR addresses, by key of `urls`. */
const FETCHES = {
  biomass_emissions: ['fetch_biomass_emissions', false],
  biodiversity: ['fetch_biodiversity', false],
  deforestation_check: ['fetch_deforestation_check', false],
  deforestation_check_eudr: ['fetch_deforestation_check', true],
  export_eudr_dds: ['export_eudr_dds', true],
} as const satisfies Record<string, readonly [path: string, eudr: boolean]>;

/** `data` of the event, with addresses under `baseUrl` (no slash at its end). */
export function batchCompleteData(batch: CompletedBatch, baseUrl: string): Readonly<Record<string, unknown>> {
  const urls = Object.entries(FETCHES).map(([key, [path, eudr]]) => {
    const query = new URLSearchParams({
      filename: batch.collectionId,
      monitoring_start: eudr ? EUDR_MONITORING_START : batch.monitoringStart,
      monitoring_end: batch.monitoringEnd,
    });
    return [key, `${baseUrl}/${path}?${query}`];
  });
  return {
    collection_name: batch.collectionName,
    description: batch.description,
    urls: Object.fromEntries(urls) as Record<string, string>,
  };
}
