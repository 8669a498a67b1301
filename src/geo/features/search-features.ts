import { createHits, searchTree, type Hits } from '../packed-tree.ts';
import { FEATURE_SCALE, type IndexedFeatures } from './feature-set.ts';
import type { LocalFrame } from './local-frame.ts';
import type { Probe } from './probe.ts';

export interface NearFeature {
  readonly id: number;
  /** Geodesic metres on WGS84, 0 when they touch or overlap. */
  readonly distanceM: number;
}

/** Metres of the first search for the nearest, and its part of the whole reach; each next one is four times as wide. */
const FIRST_M = 64;
const FIRST_SHARE = 1 / 64;
/** Searched beyond the limit, because ranks are not exact. */
const SLACK = 1.0001;
/** Part of a limit within which the exact distance to a point decides. */
const BAND = 1e-4;

const hits: Hits = createHits();

/** The nearest feature within so many metres, the lower number among equals, or null. */
export function nearestFeature(set: IndexedFeatures, probe: Probe, withinM: number): NearFeature | null {
  let best = -1;
  let rankM = withinM * SLACK;
  for (let reachM = Math.min(Math.max(FIRST_M, withinM * FIRST_SHARE), withinM); ; reachM *= 4) {
    if (reachM > withinM) reachM = withinM;
    searchAround(set, probe, reachM * SLACK);
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

/** Calls `visit` with every feature within so many metres. */
export function featuresWithin(
  set: IndexedFeatures,
  probe: Probe,
  withinM: number,
  visit: (id: number, distanceM: number) => void,
): void {
  searchAround(set, probe, withinM);
  if (probe.frame !== null && set.xy.length === set.count * 2) {
    pointsWithin(set, probe, probe.frame, withinM, visit);
    return;
  }
  const { count } = hits;
  for (let i = 0; i < count; i++) {
    const d = probe.distanceM(set, hits.ids[i], withinM);
    if (d <= withinM) visit(hits.ids[i], d);
  }
}

/** The same where every feature is a single point: those well inside and well outside are told by the local metric. */
function pointsWithin(
  set: IndexedFeatures,
  probe: Probe,
  { x, y, east, eastSlope, north, northSlope }: LocalFrame,
  withinM: number,
  visit: (id: number, distanceM: number) => void,
): void {
  const { xy } = set;
  const inside2 = (withinM * (1 - BAND)) ** 2;
  const outside2 = (withinM * (1 + BAND)) ** 2;
  for (let i = 0; i < hits.count; i++) {
    const id = hits.ids[i];
    const dx = xy[id * 2] - x;
    const dy = xy[id * 2 + 1] - y;
    const mx = dx * (east + eastSlope * dy);
    const my = dy * (north + northSlope * dy);
    const d2 = mx * mx + my * my;
    const isFar = d2 > outside2 && dx < HALF_TURN && dx > -HALF_TURN;
    if (isFar) continue;
    const d = d2 < inside2 && withinM <= FLAT_M ? Math.sqrt(d2) : probe.distanceM(set, id, withinM);
    if (d <= withinM) visit(id, d);
  }
}

const HALF_TURN = 180 * FEATURE_SCALE;
/** Metres up to which the local metric tells the distance to a millimetre. */
const FLAT_M = 2_000;

function searchAround({ tree }: IndexedFeatures, probe: Probe, withinM: number): void {
  hits.count = 0;
  for (const [west, south, east, north] of probe.windows(withinM))
    searchTree(tree, west * FEATURE_SCALE, south * FEATURE_SCALE, east * FEATURE_SCALE, north * FEATURE_SCALE, hits);
}
