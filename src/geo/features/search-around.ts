import { addHit, searchTree, type Hits } from '../packed-tree.ts';
import { FEATURE_SCALE, type IndexedFeatures } from './feature-set.ts';
import type { Probe } from './probe.ts';

/** Fills `out` with every feature whose box comes within so many metres of a probe, give or take a little; each of them once. */
export function searchAround({ tree }: IndexedFeatures, probe: Probe, withinM: number, out: Hits): void {
  out.count = 0;
  const windows = probe.windows(withinM);
  for (const [west, south, east, north] of windows) {
    const before = out.count;
    searchTree(tree, west * FEATURE_SCALE, south * FEATURE_SCALE, east * FEATURE_SCALE, north * FEATURE_SCALE, out);
    if (before > 0) dropFound(out, before);
  }
}

/** Drops what two windows have found: parts on both sides of the antimeridian have a box around the world. */
function dropFound(out: Hits, before: number): void {
  const known = new Set(out.ids.subarray(0, before));
  const found = out.ids.slice(before, out.count);
  out.count = before;
  for (const id of found) if (!known.has(id)) addHit(out, id);
}
