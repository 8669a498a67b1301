import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sampleRasterDatasets, sampleRasters, sampleRastersFolder } from '../readers/sample-district/sample-rasters.ts';
import { encodeTiff } from '../readers/tiff/encode-tiff.ts';
import { onceAFolder } from './once-a-folder.ts';

/** Ids of the rasters that `prepareSampleRasters` makes. */
export const SAMPLE_RASTER_IDS: ReadonlySet<string> = new Set(sampleRasterDatasets('').map(({ id }) => id));

/**
 * Makes the rasters of the sample district in a data folder unless they are there: some hundred kilobytes in half a second, the first
 * time only. Processes that start at once may all make them; the first to finish wins, and all make the same bytes.
 */
export const prepareSampleRasters: (dataDir: string) => Promise<void> = onceAFolder(makeRasters);

async function makeRasters(dataDir: string): Promise<void> {
  const folder = sampleRastersFolder(dataDir);
  const isThere = (): Promise<boolean> =>
    stat(folder).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  const draft = join(dirname(folder), `.making-${randomUUID()}`);
  try {
    await mkdir(draft, { recursive: true });
    for (const [name, raster] of sampleRasters())
      await writeFile(join(draft, name), encodeTiff(raster, { compression: 'zstd' }));
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await isThere())) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
