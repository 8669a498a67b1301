import type { Bbox } from '../shapes/shape.ts';
import type { FeatureSet } from './feature-set.ts';
import type { LocalFrame } from './local-frame.ts';

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
