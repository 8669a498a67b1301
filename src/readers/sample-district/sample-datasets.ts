import { join } from 'node:path';
import type { Dataset } from '../dataset.ts';
import { DISTRICT, DISTRICT_VERSION } from './district.ts';

/** Where the district is kept in a data folder. A new version has a folder of its own. */
export function sampleFolder(dataDir: string): string {
  return join(dataDir, 'sample-district', DISTRICT_VERSION);
}

/** The files in the folder of a district. */
export const SAMPLE_FILES = { embeddings: 'embeddings.tif', labels: 'labels' } as const;

/** The datasets of the sample district in a data folder, in the order in which they are asked. */
export function sampleDatasets(dataDir: string): readonly Dataset[] {
  const folder = sampleFolder(dataDir);
  const shared = {
    coverage: { bbox: DISTRICT.bbox },
    version: DISTRICT_VERSION,
    date: String(DISTRICT.year),
    licence: 'CC0-1.0',
    attribution: 'Firstmile sample district: synthetic, describes no real place',
    synthetic: true,
  } as const;
  return [
    {
      id: 'sample-district',
      role: 'embeddings',
      kind: 'cog',
      path: join(folder, SAMPLE_FILES.embeddings),
      options: { year: DISTRICT.year },
      ...shared,
    },
    {
      id: 'sample-district-labels',
      role: 'forest-labels',
      kind: 'zarr',
      path: join(folder, SAMPLE_FILES.labels),
      options: {},
      ...shared,
    },
  ];
}
