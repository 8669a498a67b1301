import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import type { Bbox } from './shape.ts';

/** What a search around a place measures lower bounds with. */
export interface Reach {
  /** Metres in a degree of longitude and of latitude: never more than the true ones anywhere inside the reach. */
  readonly east: number;
  readonly north: number;
  /** Degrees of latitude, and of longitude (360 where a pole is within reach), beyond which nothing can be near enough. */
  readonly latitudes: number;
  readonly longitudes: number;
}

/**
 * Bounds for everything within `withinM` metres of places between two latitudes. A path that long stays inside the widened
 * band of latitudes, and there every step of it is at least as long as measured with `east` and `north`; so the flat
 * distance is a true lower bound.
 */
export function reachAround(south: number, north: number, withinM: number): Reach {
  const least = metresPerDegreeNorth(Math.max(0, Math.min(Math.abs(south), Math.abs(north)) - 5)) * 0.9999;
  const northScale = south <= 0 && north >= 0 ? metresPerDegreeNorth(0) : least;
  const latitudes = withinM / northScale;
  const farthest = Math.max(Math.abs(south), Math.abs(north)) + latitudes;
  const east = farthest >= 90 ? 0 : metresPerDegreeEast(farthest);
  return { east, north: northScale, latitudes, longitudes: east * 180 <= withinM ? 360 : withinM / east };
}

/** Degrees of longitude between two spans, the shorter way round; 0 where they overlap. */
export function longitudeGap(west: number, east: number, otherWest: number, otherEast: number): number {
  const gap = Math.max(0, otherWest - east, west - otherEast);
  if (gap === 0) return 0;
  const eastwards = Math.max(0, otherWest + 360 - east);
  const westwards = Math.max(0, west + 360 - otherEast);
  return Math.min(gap, eastwards, westwards);
}

/** Boxes in degrees that hold everything within so many metres of a box. */
export function windowsAround([west, south, east, north]: Bbox, withinM: number): readonly Bbox[] {
  const reach = reachAround(south, north, withinM);
  const low = south - reach.latitudes;
  const high = north + reach.latitudes;
  if (reach.longitudes >= 180 || east - west + 2 * reach.longitudes >= 360) return [[-180, low, 180, high]];
  const from = west - reach.longitudes;
  const to = east + reach.longitudes;
  if (from < -180)
    return [
      [-180, low, to, high],
      [from + 360, low, 180, high],
    ];
  if (to > 180)
    return [
      [from, low, 180, high],
      [-180, low, to - 360, high],
    ];
  return [[from, low, to, high]];
}
