import { createHits, type Hits } from '../packed-tree.ts';
import type { IndexedFeatures } from './feature-set.ts';
import type { Probe } from './probe.ts';
import { searchAround } from './search-around.ts';

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
