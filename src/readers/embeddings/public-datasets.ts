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

const SOURCE_COOP = 'https://data.source.coop/tge-labs';
/** The bucket of the same files. Its name has dots, so that only an address with the bucket in its path passes TLS. */
const BUCKET = 'https://s3.us-west-2.amazonaws.com/us-west-2.opendata.source.coop/tge-labs';
const GOOGLE = 'https://storage.googleapis.com/alphaearth_foundations';

/**
 * AEF at its public addresses, in the order in which they are queried: the mosaic costs one request of a few MB a lookup,
 * the COGs one a band and block. Mosaic and `aef` are copies by Source Cooperative, each with two doors; `aef-gcs` is the
 * publisher's own bucket through its own index.
 */
export const PUBLIC_EMBEDDINGS = [
  {
    id: 'aef-mosaic',
    kind: 'zarr',
    url: `${SOURCE_COOP}/aef-mosaic`,
    options: {},
    contract: { mirrors: [`${BUCKET}/aef-mosaic`], sentinel: null, expect: {}, newest: 'in-place' },
    ...SHARED,
  },
  {
    id: 'aef',
    kind: 'cog-index',
    url: `${SOURCE_COOP}/aef/v1/annual/aef_index.parquet`,
    options: {
      pathPrefix: 's3://us-west-2.opendata.source.coop/tge-labs/aef/',
      baseUrl: `${SOURCE_COOP}/aef/`,
    },
    contract: {
      mirrors: [`${BUCKET}/aef/v1/annual/aef_index.parquet`],
      sentinel: 'v1/annual/2024/31N/x05g5rs56l3cq3pex-0000000000-0000000000.tiff',
      expect: { bands: 64, sampleType: 'int8' },
      newest: 'in-place',
    },
    ...SHARED,
  },
  {
    id: 'aef-gcs',
    kind: 'cog-index',
    url: `${GOOGLE}/satellite_embedding/v1/annual/aef_index.parquet`,
    options: { pathPrefix: 'gs://alphaearth_foundations/', baseUrl: `${GOOGLE}/` },
    contract: {
      mirrors: [],
      sentinel: 'satellite_embedding/v1/annual/2025/54N/xojgayo1cxc1vo6gf-0000000000-0000000000.tiff',
      expect: { bands: 64, sampleType: 'int8', columns: ['path'] },
      newest: 'in-place',
    },
    ...SHARED,
  },
] as const satisfies readonly Dataset[];
