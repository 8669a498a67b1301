import { geodesicDistanceM } from '../ellipsoid.ts';
import type { Bbox, Shape } from '../shapes/shape.ts';
import { FEATURE_SCALE, type FeatureSet } from './feature-set.ts';
import { FLAT_M, isFarFromTurn, localFrame, type LocalFrame } from './local-frame.ts';
import { pointToFeature2, type Spot } from './point-to-feature.ts';
import type { Probe } from './probe.ts';
import { createShapeProbe } from './shape-probe.ts';
import { windowsAround } from '../shapes/reach.ts';

/** Part of a limit within which the geodesic decides. */
const BAND = 2e-5;
/** Degrees of latitude beyond which meridians converge too fast for the frame. */
const POLAR = 80;

export function createProbe(shape: Shape): Probe {
  const isPoint = shape.points.length === 2 && shape.lines.length === 0 && shape.polygons.length === 0;
  const [lon, lat] = shape.points;
  return isPoint && lat < POLAR && lat > -POLAR ? new PointProbe(lon, lat) : createShapeProbe(shape);
}

class PointProbe implements Probe {
  readonly box: Bbox;
  readonly #lon: number;
  readonly #lat: number;
  readonly frame: LocalFrame;
  #turned: LocalFrame | null = null;
  readonly #spot: Spot = { x: 0, y: 0 };
  readonly #turnedSpot: Spot = { x: 0, y: 0 };

  constructor(lon: number, lat: number) {
    this.#lon = lon;
    this.#lat = lat;
    this.frame = localFrame(lon, lat);
    this.box = [lon, lat, lon, lat];
  }

  windows(withinM: number): readonly Bbox[] {
    return windowsAround(this.box, withinM);
  }

  rankM(set: FeatureSet, id: number, bestM: number): number {
    return Math.sqrt(this.#nearest2(set, id, bestM * bestM));
  }

  distanceM(set: FeatureSet, id: number, withinM: number, bestM = withinM): number {
    const limitM = bestM < withinM ? bestM : withinM;
    const limit2 = limitM * limitM * (1 + 4 * BAND) + 1e-6;
    const d2 = this.#nearest2(set, id, limit2);
    if (d2 >= limit2) return Infinity;
    const flat = Math.sqrt(d2);
    const isPlain = flat <= FLAT_M && Math.abs(flat - withinM) > withinM * BAND;
    if (d2 === 0 || isPlain) return flat;
    return geodesicDistanceM(this.#lon, this.#lat, this.#spot.x / FEATURE_SCALE, this.#spot.y / FEATURE_SCALE);
  }

  /**
   * As `pointToFeature2`. Near the antimeridian parts of a feature may lie on either side of it, so that it is measured from a turn away too;
   * far from it no feature within reach does.
   */
  #nearest2(set: FeatureSet, id: number, limit2: number): number {
    const d2 = pointToFeature2(set, id, this.frame, limit2, this.#spot);
    if (d2 === 0 || isFarFromTurn(this.frame)) return d2;
    this.#turned ??= localFrame(this.#lon, this.#lat, this.#lon < 0 ? 360 : -360);
    const turned2 = pointToFeature2(set, id, this.#turned, Math.min(d2, limit2), this.#turnedSpot);
    if (turned2 >= d2) return d2;
    this.#spot.x = this.#turnedSpot.x;
    this.#spot.y = this.#turnedSpot.y;
    return turned2;
  }
}
