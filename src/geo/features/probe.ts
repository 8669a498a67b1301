import type { Bbox } from '../shapes/shape.ts';
import { FEATURE_SCALE, type FeatureSet, type IndexedFeatures } from './feature-set.ts';
import type { LocalFrame } from './local-frame.ts';
import { addHit, type Hits, searchTree } from '../packed-tree.ts';

/** Measures from one place, a point or a shape, to features. Not to be used by two callers at once. */
export interface Probe {
  /** Around the place, in degrees. */
  readonly box: Bbox;
  /** The metric around a single point; null for shapes. */
  readonly frame: LocalFrame | null;
  /** Puts into `out` the boxes, in degrees, that hold everything within so many metres; two where the antimeridian is near. */
  windows(withinM: number): readonly Bbox[];
  /**
   * Geodesic metres on WGS84 to a feature, 0 when they touch or overlap. Exact to a millimetre up to 2 km and where it decides whether
   * the feature is within `withinM`, else to 1e-5 of the distance; shapes other than points see `createShapeProbe`. A feature
   * farther than `withinM` or `bestM` may get any greater number.
   */
  distanceM(set: FeatureSet, id: number, withinM: number, bestM?: number): number;
  /** Metres to a feature, good to 1e-5 of the distance, to rank features by; one that is not nearer than `bestM` may get any greater number. */
  rankM(set: FeatureSet, id: number, bestM: number): number;
}

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
