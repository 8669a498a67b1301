import type { PackedTree } from '../packed-tree.ts';

/** Units in a degree: the precision of OpenStreetMap, 1.1 cm along the equator. */
export const FEATURE_SCALE = 1e7;

/** What a feature is. Several points, lines or areas of one feature are parts of it. */
export const POINT = 1;
export const LINE = 2;
/** Rings of one or more polygons; a place is inside by the even-odd rule over all of them. */
export const AREA = 3;

/**
 * Points, lines and areas in flat arrays, for distance work. Coordinates are whole units of `1 / FEATURE_SCALE` degree on WGS84.
 * Feature `i` has the parts from `features[i]` to before `features[i + 1]`; part `p` (a point, a line, a closed ring) has the
 * vertices from `parts[p]` to before `parts[p + 1]`; vertex `v` is `xy[2 v]`, `xy[2 v + 1]`. May live in shared memory.
 */
export interface FeatureSet {
  readonly count: number;
  readonly types: Uint8Array;
  /** The type of all features where they have the same, else 0: then nothing is read to know it. */
  readonly onlyType: number;
  /** Whether feature `i` is part `i`, because none has several: then `features` need not be read. */
  readonly isSinglePart: boolean;
  readonly features: Uint32Array;
  readonly parts: Uint32Array;
  readonly xy: Int32Array;
}

/** A feature set with a tree over the boxes of its features, which are laid along a space-filling curve. */
export interface IndexedFeatures extends FeatureSet {
  readonly tree: PackedTree;
}
