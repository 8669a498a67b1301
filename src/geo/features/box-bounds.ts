import type { LocalFrame } from './local-frame.ts';

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
