import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  sampleRasterDatasets,
  sampleRasters,
  sampleRastersFolder,
} from '../../readers/sample-district/sample-rasters.ts';
import { encodeTiff } from '../../readers/formats/tiff/encode-tiff.ts';
import { makeSampleFolder } from './make-sample-folder.ts';
import { onceAFolder } from '../world/once-a-folder.ts';

/** Ids of the rasters that `prepareSampleRasters` makes. */
export const SAMPLE_RASTER_IDS: ReadonlySet<string> = new Set(sampleRasterDatasets('').map(({ id }) => id));

/** Makes the rasters of the sample district in a data folder unless they are there: some hundred kilobytes in half a second, the first time only. */
export const prepareSampleRasters: (dataDir: string) => Promise<void> = onceAFolder((dataDir) =>
  makeSampleFolder(sampleRastersFolder(dataDir), async (draft) => {
    for (const [name, raster] of sampleRasters())
      await writeFile(join(draft, name), encodeTiff(raster, { compression: 'zstd' }));
  }),
);
