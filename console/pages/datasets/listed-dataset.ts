import type { Answer } from '../../api/client.ts';

/** A dataset as the service lists it. */
export type Dataset = Answer<'getDatasets'>['datasets'][number];
