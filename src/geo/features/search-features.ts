import { createHits, searchTree, type Hits } from '../packed-tree.ts';
import { FEATURE_SCALE, type IndexedFeatures } from './feature-set.ts';
import type { Probe } from './probe.ts';

export interface NearFeature {
  readonly id: number;
  /** Geodesic metres on WGS84, 0 when they touch or overlap. */
  readonly distanceM: number;
}

/** Metres of the first search for the nearest; each next one is four times as wide. */
const FIRST_M = 64;

const hits: Hits = createHits();

/** The nearest feature within so many metres, the lower number among equals, or null. */
export function nearestFeature(set: IndexedFeatures, probe: Probe, withinM: number): NearFeature | null {
  let best = -1;
  let distanceM = Infinity;
  for (let reachM = Math.min(FIRST_M, withinM); ; reachM = Math.min(reachM * 4, withinM)) {
    searchAround(set, probe, reachM);
    for (let i = 0; i < hits.count; i++) {
      const id = hits.ids[i];
      const d = probe.distanceM(set, id, withinM, distanceM);
      if (d > distanceM || (d === distanceM && id >= best)) continue;
      distanceM = d;
      best = id;
    }
    if (distanceM <= reachM || reachM >= withinM) break;
  }
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
  const { count } = hits;
  for (let i = 0; i < count; i++) {
    const d = probe.distanceM(set, hits.ids[i], withinM);
    if (d <= withinM) visit(hits.ids[i], d);
  }
}

function searchAround({ tree }: IndexedFeatures, probe: Probe, withinM: number): void {
  hits.count = 0;
  for (const [west, south, east, north] of probe.windows(withinM))
    searchTree(tree, west * FEATURE_SCALE, south * FEATURE_SCALE, east * FEATURE_SCALE, north * FEATURE_SCALE, hits);
}
