import { boxRing } from '../../geo/shapes/shape.ts';
import { DISTRICT } from '../../readers/sample-district/district.ts';
import { samplePack } from '../../readers/sample-district/sample-datasets.ts';
import { sampleFeatures } from '../../readers/sample-district/sample-features.ts';
import { makeSamplePack } from './make-sample-pack.ts';
import { onceAFolder } from '../world/once-a-folder.ts';

/**
 * Makes the pack of the sample district in a data folder unless it is there: some hundred made-up roads, buildings and
 * businesses. Takes a tenth of a second, the first time only.
 */
export const prepareSamplePack: (dataDir: string) => Promise<void> = onceAFolder((dataDir) => {
  const coverage = [[boxRing(DISTRICT.bbox)]];
  return makeSamplePack({ place: samplePack(dataDir), features: sampleFeatures, coverage });
});
