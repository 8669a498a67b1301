import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { draftPack } from '../readers/packs/write-pack.ts';
import { DISTRICT, DISTRICT_VERSION } from '../readers/sample-district/district.ts';
import { SAMPLE_TERMS } from '../readers/sample-district/sample-datasets.ts';
import {
  sampleFootprint,
  sampleParcelDatasets,
  sampleParcelPack,
  sampleParcels,
} from '../readers/sample-district/sample-parcels.ts';
import { onceAFolder } from './once-a-folder.ts';

/** Makes the pack of the sample parcels in a data folder unless it is there; the first time only, in a few milliseconds. */
export const prepareSampleParcels: (dataDir: string) => Promise<void> = onceAFolder(makePack);

async function makePack(dataDir: string): Promise<void> {
  const { packsFolder, id } = sampleParcelPack(dataDir);
  const isThere = (): Promise<boolean> =>
    stat(join(packsFolder, id)).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  const draft = await draftPack(packsFolder, ['parcels']);
  try {
    for (const feature of sampleParcels()) await draft.sink(feature);
    if (await isThere()) return;
    await draft.publish({
      id,
      version: DISTRICT_VERSION,
      date: `${DISTRICT.year}-01-01`,
      ...SAMPLE_TERMS,
      source: { kind: 'sample', name: 'sample district', bytes: 0 },
      coverage: [[sampleFootprint()]],
      options: sampleParcelDatasets(dataDir)[0].options,
    });
  } finally {
    await draft.close();
  }
}
