import type { EdgeImage } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';
import { hMinima } from './h-minima.ts';
import { labelComponents } from './label-components.ts';
import { watershed } from './watershed.ts';

/**
 * The watershed of the minima of depth `depth` by its definition: label the minima, flood from them with a queue.
 * As scikit-image has it; the reference for `segmentEdgesPlain`.
 */
export function floodMarkers(image: EdgeImage, depth: number): Int32Array {
  return watershed(image, labelComponents(hMinima(image, depth), image.width));
}
