import { join } from 'node:path';
import type { Dataset } from '../catalogue/dataset.ts';
import { THEME_NAMES, THEMES } from '../themes/themes.ts';
import { DISTRICT, DISTRICT_VERSION } from './district.ts';

/** Where the district is kept in a data folder. A new version has a folder of its own. */
export function sampleFolder(dataDir: string): string {
  return join(dataDir, 'sample-district', DISTRICT_VERSION);
}

/** The files in the folder of a district. */
export const SAMPLE_FILES = { embeddings: 'embeddings.tif', labels: 'labels' } as const;

/** Where the pack of the district is kept: its parent, and its name there. */
export function samplePack(dataDir: string): { readonly packsFolder: string; readonly id: string } {
  return { packsFolder: join(dataDir, 'sample-district', 'packs'), id: DISTRICT_VERSION };
}

/** Licence and credit of everything in the district. */
export const SAMPLE_TERMS = {
  licence: 'CC0-1.0',
  attribution: 'Firstmile sample district: synthetic, describes no real place',
  synthetic: true,
} as const;

/** The roads, water, buildings and businesses of the district, as a pack has them. */
export function samplePackDatasets(dataDir: string): readonly Dataset[] {
  const { packsFolder, id } = samplePack(dataDir);
  return THEME_NAMES.map((theme) => ({
    id: `sample-district-${theme}`,
    role: THEMES[theme].role,
    kind: 'flatgeobuf',
    path: join(packsFolder, id, `${theme}.fgb`),
    coverage: { bbox: DISTRICT.bbox },
    version: DISTRICT_VERSION,
    date: String(DISTRICT.year),
    options: {},
    ...SAMPLE_TERMS,
  }));
}

export const SAMPLE_PACK_IDS: ReadonlySet<string> = new Set(samplePackDatasets('').map(({ id }) => id));

/** The datasets of the sample district in a data folder, in the order in which they are queried. */
export function sampleDatasets(dataDir: string): readonly Dataset[] {
  const folder = sampleFolder(dataDir);
  const shared = {
    coverage: { bbox: DISTRICT.bbox },
    version: DISTRICT_VERSION,
    date: String(DISTRICT.year),
    ...SAMPLE_TERMS,
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
