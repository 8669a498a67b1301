import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  SAMPLE_CROPS_FILE,
  sampleCropDatasets,
  sampleCrops,
  sampleCropsFolder,
} from '../../readers/sample-district/sample-crops.ts';
import { encodeTiff } from '../../readers/formats/tiff/encode-tiff.ts';
import { makeSampleFolder } from '../sample-district/make-sample-folder.ts';
import { onceAFolder } from '../world/once-a-folder.ts';

/** Ids of the maps that `prepareSampleCrops` makes. */
export const SAMPLE_CROP_IDS: ReadonlySet<string> = new Set(sampleCropDatasets('').map(({ id }) => id));

/** Makes the map of planted crops of the sample district in a data folder unless it is there: a few kilobytes, the first time only. */
export const prepareSampleCrops: (dataDir: string) => Promise<void> = onceAFolder((dataDir) =>
  makeSampleFolder(sampleCropsFolder(dataDir), async (draft) => {
    await writeFile(join(draft, SAMPLE_CROPS_FILE), encodeTiff(sampleCrops(), { compression: 'zstd' }));
  }),
);
