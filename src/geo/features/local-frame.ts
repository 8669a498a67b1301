import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import { FEATURE_SCALE } from './feature-set.ts';

/** Degrees either side over which the change of the radii is taken. */
const STEP = 0.25;

/**
 * A flat metric around a place, in units of `1 / FEATURE_SCALE` degree. A difference of `dx`, `dy` units is
 * `dx (east + eastSlope dy)`, `dy (north + northSlope dy)` metres: the radii of WGS84 at the latitude halfway. Against the
 * geodesic it is off by less than 1e-6 up to 5 km and 1e-5 up to 50 km, at latitudes under 70 degrees.
 */
export interface LocalFrame {
  /** The place in units; may lie a turn outside -180 to 180 degrees. */
  readonly x: number;
  readonly y: number;
  readonly east: number;
  readonly eastSlope: number;
  readonly north: number;
  readonly northSlope: number;
}

/** Metres up to which the frame alone gives the distance to a millimetre. */
export const FLAT_M = 2_000;
/** Units of longitude beyond which what is near may lie across the antimeridian: 175 degrees. */
const NEAR_TURN = 175 * FEATURE_SCALE;

/** Whether one frame will do for everything within so many metres: nothing across the antimeridian is near. */
export function isFarFromTurn({ x }: LocalFrame): boolean {
  return x < NEAR_TURN && x > -NEAR_TURN;
}

/** The frame of a place in degrees; `turn` (-360, 0 or 360) is added to its longitude. */
export function localFrame(lon: number, lat: number, turn = 0): LocalFrame {
  const eastChange = (metresPerDegreeEast(lat + STEP) - metresPerDegreeEast(lat - STEP)) / (2 * STEP);
  const northChange = (metresPerDegreeNorth(lat + STEP) - metresPerDegreeNorth(lat - STEP)) / (2 * STEP);
  const perUnit2 = FEATURE_SCALE * FEATURE_SCALE;
  return {
    x: (lon + turn) * FEATURE_SCALE,
    y: lat * FEATURE_SCALE,
    east: metresPerDegreeEast(lat) / FEATURE_SCALE,
    eastSlope: eastChange / 2 / perUnit2,
    north: metresPerDegreeNorth(lat) / FEATURE_SCALE,
    northSlope: northChange / 2 / perUnit2,
  };
}

/** Part of the metric left out, so that rounding never makes a lower bound too large. */
const SAFETY = 1e-9;

/** Metres a unit of longitude and of latitude is at least and at most, anywhere within reach of a place. */
interface BoxBounds {
  readonly east: number;
  readonly north: number;
  readonly mostEast: number;
  readonly mostNorth: number;
}

/**
 * Bounds of the metric of a frame for everything within so many metres: a difference of `dx`, `dy` units is no nearer than
 * `hypot(dx east, dy north)` and no farther than `hypot(dx mostEast, dy mostNorth)`. Right up to 100 km under 80 degrees of latitude.
 */
export function boxBounds({ east, eastSlope, north, northSlope }: LocalFrame, withinM: number): BoxBounds {
  // The radii change by less than 1 % over so many units, so this reach is never too short.
  const units = (withinM / north) * 1.02;
  const eastChange = Math.abs(eastSlope) * units;
  const northChange = Math.abs(northSlope) * units;
  return {
    east: (east - eastChange) * (1 - SAFETY),
    north: (north - northChange) * (1 - SAFETY),
    mostEast: (east + eastChange) * (1 + SAFETY),
    mostNorth: (north + northChange) * (1 + SAFETY),
  };
}
