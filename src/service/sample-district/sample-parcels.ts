import {
  sampleFootprint,
  sampleParcelDatasets,
  sampleParcelPack,
  sampleParcels,
} from '../../readers/sample-district/sample-parcels.ts';
import { makeSamplePack } from './make-sample-pack.ts';
import { onceAFolder } from '../world/once-a-folder.ts';

/** Makes the pack of the sample parcels in a data folder unless it is there; the first time only, in a few milliseconds. */
export const prepareSampleParcels: (dataDir: string) => Promise<void> = onceAFolder((dataDir) =>
  makeSamplePack({
    place: sampleParcelPack(dataDir),
    themes: ['parcels'],
    features: sampleParcels,
    coverage: [[sampleFootprint()]],
    options: sampleParcelDatasets(dataDir)[0].options,
  }),
);
