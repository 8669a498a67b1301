import { childrenEnd, createHits, firstChild, type Hits } from '../packed-tree.ts';
import { boxBounds, isFarFromTurn, type LocalFrame } from './local-frame.ts';
import type { IndexedFeatures } from './feature-set.ts';
import { pointToFeature2, type Spot } from './point-to-feature.ts';
import { type Probe, searchAround } from './probe.ts';

/** Searched beyond the limit, because ranks are not exact. */
const SLACK = 1.0001;
/** Square metres that a bound may be too large by rounding: those of a thousandth of a millimetre. */
const ROUNDING = 1e-12;
/** Open nodes and features: at most 16 a level of the tree, and those of the level above that are left. */
const MOST_OPEN = 256;
/** Bits of an open node that say its level; those above are its number, which is below 2^28: 250 million features. */
const LEVEL_BITS = 4;

const bounds = new Float64Array(MOST_OPEN);
const nodes = new Uint32Array(MOST_OPEN);
/** Keeps reads ahead from being left out as unused. */
const sink = new Float64Array(1);
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
  const { features, parts, isSinglePart } = set;
  const { east, north } = boxBounds(frame, withinM);
  const { x, y } = frame;
  const [halfEast, halfNorth] = [east / 2, north / 2];
  let best2 = withinM * withinM;
  let best = -1;
  let touched = 0;
  let open = 1;
  bounds[0] = 0;
  nodes[0] = (levels[levels.length - 1] << LEVEL_BITS) | (levels.length - 1);
  while (open > 0) {
    open--;
    if (bounds[open] > best2 + ROUNDING) continue;
    const node = nodes[open] >>> LEVEL_BITS;
    const level = nodes[open] & ((1 << LEVEL_BITS) - 1);
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
    // Read before they are wanted, so that the memory answers for all of a node at once.
    if (level === 1) touched += isSinglePart ? parts[first] : parts[features[first]];
    for (let child = first, at = first * 4; child < end; child++, at += 4) {
      const west = boxes[at];
      const right = boxes[at + 2];
      const south = boxes[at + 1];
      const up = boxes[at + 3];
      // Outside of a box the sum of the distances to both sides is larger than its width by twice the distance to the nearer one.
      const fromX = Math.abs(west - x) + Math.abs(right - x);
      const fromY = Math.abs(south - y) + Math.abs(up - y);
      const dx = (fromX - (right - west)) * halfEast;
      const dy = (fromY - (up - south)) * halfNorth;
      const bound = dx * dx + dy * dy;
      if (bound > best2 + ROUNDING) continue;
      // Kept in order, the nearest last, so that it is taken first.
      let place = open++;
      for (; place > below && bounds[place - 1] < bound; place--) {
        bounds[place] = bounds[place - 1];
        nodes[place] = nodes[place - 1];
      }
      bounds[place] = bound;
      nodes[place] = (child << LEVEL_BITS) | (level - 1);
    }
  }
  sink[0] = touched;
  return best;
}

interface NearFeature {
  readonly id: number;
  /** Geodesic metres on WGS84, 0 when they touch or overlap. */
  readonly distanceM: number;
}

/** Metres of the first search for the nearest, and its part of the whole reach; each next one is four times as wide. */
const FIRST_M = 64;
const FIRST_SHARE = 1 / 64;

const hits: Hits = createHits();

/** The nearest feature within so many metres to any probe, by windows that grow; the lower number among equals, or null. */
export function nearestInRings(set: IndexedFeatures, probe: Probe, withinM: number): NearFeature | null {
  let best = -1;
  let rankM = withinM * SLACK;
  for (let reachM = Math.min(Math.max(FIRST_M, withinM * FIRST_SHARE), withinM); ; reachM *= 4) {
    if (reachM > withinM) reachM = withinM;
    searchAround(set, probe, reachM * SLACK, hits);
    for (let i = 0; i < hits.count; i++) {
      const id = hits.ids[i];
      const m = probe.rankM(set, id, rankM * SLACK);
      if (m > rankM || (m === rankM && best >= 0 && id >= best)) continue;
      rankM = m;
      best = id;
    }
    if ((best >= 0 && rankM <= reachM) || reachM >= withinM) break;
  }
  if (best < 0) return null;
  const distanceM = probe.distanceM(set, best, withinM);
  return distanceM <= withinM ? { id: best, distanceM } : null;
}
