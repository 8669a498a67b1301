import type { EdgeImage } from './edge-strength.ts';
import { hMinima } from './h-minima.ts';
import { labelComponents } from './label-components.ts';
import { watershed } from './watershed.ts';

/** What `segmentEdges` computes, the plain way: label the minima of depth `depth`, flood from them with a queue. */
export function segmentEdgesPlain(image: EdgeImage, depth: number): Int32Array {
  return watershed(image, labelComponents(hMinima(image, depth), image.width));
}
