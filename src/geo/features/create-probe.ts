import { geodesicDistanceM } from '../geodesic.ts';
import type { Bbox, Shape } from '../shape.ts';
import { FEATURE_SCALE, type FeatureSet } from './feature-set.ts';
import { FLAT_M, isFarFromTurn, localFrame, type LocalFrame } from './local-frame.ts';
import { pointToFeature2, type Spot } from './point-to-feature.ts';
import type { Probe } from './probe.ts';
import { createShapeProbe } from './shape-probe.ts';
import { windowsAround } from './windows-around.ts';

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
    return Math.sqrt(pointToFeature2(set, id, this.#frameFor(set, id), bestM * bestM, this.#spot));
  }

  distanceM(set: FeatureSet, id: number, withinM: number, bestM = withinM): number {
    const limitM = bestM < withinM ? bestM : withinM;
    const limit2 = limitM * limitM * (1 + 4 * BAND) + 1e-6;
    const frame = this.#frameFor(set, id);
    const d2 = pointToFeature2(set, id, frame, limit2, this.#spot);
    if (d2 >= limit2) return Infinity;
    const flat = Math.sqrt(d2);
    const isPlain = flat <= FLAT_M && Math.abs(flat - withinM) > withinM * BAND;
    if (d2 === 0 || isPlain) return flat;
    return geodesicDistanceM(this.#lon, this.#lat, this.#spot.x / FEATURE_SCALE, this.#spot.y / FEATURE_SCALE);
  }

  /** The frame a turn away where the feature lies on the other side of the antimeridian; far from it no feature within reach does. */
  #frameFor({ xy, parts, features }: FeatureSet, id: number): LocalFrame {
    if (isFarFromTurn(this.frame)) return this.frame;
    const apart = xy[parts[features[id]] * 2] - this.frame.x;
    if (apart < 180 * FEATURE_SCALE && apart > -180 * FEATURE_SCALE) return this.frame;
    this.#turned ??= localFrame(this.#lon, this.#lat, apart > 0 ? 360 : -360);
    return this.#turned;
  }
}
