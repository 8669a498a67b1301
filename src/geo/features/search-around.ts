import { searchTree, type Hits } from '../packed-tree.ts';
import { FEATURE_SCALE, type IndexedFeatures } from './feature-set.ts';
import type { Probe } from './probe.ts';

/** Fills `out` with every feature whose box comes within so many metres of a probe, give or take a little. */
export function searchAround({ tree }: IndexedFeatures, probe: Probe, withinM: number, out: Hits): void {
  out.count = 0;
  for (const [west, south, east, north] of probe.windows(withinM))
    searchTree(tree, west * FEATURE_SCALE, south * FEATURE_SCALE, east * FEATURE_SCALE, north * FEATURE_SCALE, out);
}
