import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { draftPack } from '../readers/packs/write-pack.ts';
import { DISTRICT, DISTRICT_VERSION } from '../readers/sample-district/district.ts';
import { SAMPLE_TERMS, samplePack } from '../readers/sample-district/sample-datasets.ts';
import { sampleFeatures } from '../readers/sample-district/sample-features.ts';
import { onceAFolder } from './once-a-folder.ts';

/**
 * Makes the pack of the sample district in a data folder unless it is there: some hundred made-up roads, buildings and
 * businesses. Takes a tenth of a second, the first time only. Processes that start at once may all make it; all make the
 * same bytes.
 */
export const prepareSamplePack: (dataDir: string) => Promise<void> = onceAFolder(makePack);

async function makePack(dataDir: string): Promise<void> {
  const { packsFolder, id } = samplePack(dataDir);
  const isThere = (): Promise<boolean> =>
    stat(join(packsFolder, id)).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  const draft = await draftPack(packsFolder);
  try {
    for (const feature of sampleFeatures()) await draft.sink(feature);
    if (await isThere()) return;
    const [west, south, east, north] = DISTRICT.bbox;
    await draft.publish({
      id,
      version: DISTRICT_VERSION,
      date: `${DISTRICT.year}-01-01`,
      ...SAMPLE_TERMS,
      source: { kind: 'sample', name: 'sample district', bytes: 0 },
      coverage: [[Float64Array.of(west, south, east, south, east, north, west, north, west, south)]],
    });
  } finally {
    await draft.close();
  }
}
