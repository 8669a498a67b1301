import type { Dataset } from '../catalogue/dataset.ts';

/** The credit that the licence requires, word for word (developers.google.com/earth-engine/guides/aef_on_gcs_readme). */
const ATTRIBUTION = 'The AlphaEarth Foundations Satellite Embedding dataset is produced by Google and Google DeepMind.';

const SHARED = {
  role: 'embeddings',
  // The reach of the mosaic; AEF has land and shallow water in it, and the index and the mosaic know which.
  coverage: { bbox: [-180, -83.4, 180, 83.7] },
  version: 'v1',
  date: null,
  licence: 'CC-BY-4.0',
  attribution: ATTRIBUTION,
  synthetic: false,
} as const;

/**
 * AEF at its public addresses, in the order in which they are queried: the mosaic costs one request of a few MB a lookup,
 * the COGs one a band and block. Both are copies by Source Cooperative.
 */
export const PUBLIC_EMBEDDINGS = [
  {
    id: 'aef-mosaic',
    kind: 'zarr',
    url: 'https://data.source.coop/tge-labs/aef-mosaic',
    options: {},
    ...SHARED,
  },
  {
    id: 'aef',
    kind: 'cog-index',
    url: 'https://data.source.coop/tge-labs/aef/v1/annual/aef_index.parquet',
    options: {
      pathPrefix: 's3://us-west-2.opendata.source.coop/tge-labs/aef/',
      baseUrl: 'https://data.source.coop/tge-labs/aef/',
    },
    ...SHARED,
  },
] as const satisfies readonly Dataset[];
