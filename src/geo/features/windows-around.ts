import { reachAround } from '../shapes/reach.ts';
import type { Bbox } from '../shapes/shape.ts';

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
