import { childrenEnd, firstChild } from '../packed-tree.ts';
import { boxBounds } from './box-bounds.ts';
import type { IndexedFeatures } from './feature-set.ts';
import { pointToFeature2, type Spot } from './point-to-feature.ts';
import type { Probe } from './probe.ts';
import { nearestInRings, type NearFeature } from './nearest-in-rings.ts';
import { isFarFromTurn, type LocalFrame } from './local-frame.ts';

/** Searched beyond the limit, because ranks are not exact. */
const SLACK = 1.0001;
/** Open nodes and features: at most 16 a level of the tree, and those of the level above that are left. */
const MOST_OPEN = 256;

const bounds = new Float64Array(MOST_OPEN);
const nodes = new Int32Array(MOST_OPEN);
const levelsOf = new Uint8Array(MOST_OPEN);
const spot: Spot = { x: 0, y: 0 };

/** The nearest feature within so many metres, the lower number among equals, or null. */
export function nearestFeature(set: IndexedFeatures, probe: Probe, withinM: number): NearFeature | null {
  const { frame } = probe;
  if (frame === null || !isFarFromTurn(frame)) return nearestInRings(set, probe, withinM);
  const best = nearestToPoint(set, frame, withinM * SLACK);
  if (best < 0) return null;
  const distanceM = probe.distanceM(set, best, withinM);
  return distanceM <= withinM ? { id: best, distanceM } : null;
}

/** Number of the feature nearest to the place of a frame, or -1: nodes and features in the order of how near they can be at best. */
function nearestToPoint(set: IndexedFeatures, frame: LocalFrame, withinM: number): number {
  const { tree } = set;
  const { boxes, levels } = tree;
  const { east, north } = boxBounds(frame, withinM);
  const { x, y } = frame;
  let best2 = withinM * withinM;
  let best = -1;
  let open = 1;
  bounds[0] = 0;
  levelsOf[0] = levels.length - 1;
  nodes[0] = levels[levels.length - 1];
  while (open > 0) {
    open--;
    if (bounds[open] > best2) continue;
    const node = nodes[open];
    const level = levelsOf[open];
    if (level === 0) {
      const d2 = pointToFeature2(set, node, frame, best2 * SLACK, spot);
      if (d2 > best2 || (d2 === best2 && best >= 0 && node > best)) continue;
      best2 = d2;
      best = node;
      continue;
    }
    const first = firstChild(tree, node, level);
    const end = childrenEnd(tree, first, level);
    const below = open;
    for (let child = first; child < end; child++) {
      const at = child * 4;
      const west = boxes[at] - x;
      const right = x - boxes[at + 2];
      const south = boxes[at + 1] - y;
      const up = y - boxes[at + 3];
      const dx = (west > right ? west : right) * east;
      const dy = (south > up ? south : up) * north;
      const bound = (dx > 0 ? dx * dx : 0) + (dy > 0 ? dy * dy : 0);
      if (bound > best2) continue;
      // Kept in order, the nearest last, so that it is taken first.
      let place = open++;
      for (; place > below && bounds[place - 1] < bound; place--) {
        bounds[place] = bounds[place - 1];
        nodes[place] = nodes[place - 1];
        levelsOf[place] = levelsOf[place - 1];
      }
      bounds[place] = bound;
      nodes[place] = child;
      levelsOf[place] = level - 1;
    }
  }
  return best;
}
