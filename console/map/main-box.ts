import type { Box } from './box-polygon.ts';

/** Share of the places that the view is always made of. */
const MOST = 0.9;
/** Times as far from the middle as those, and at least so many degrees, is far away. */
const TIMES = 20;
const LEAST_DEGREES = 1;
/** Of fewer places than `FEW` each counts more: they are far away from here on. */
const FEW = 10;
const LEAST_DEGREES_OF_FEW = 10;
/** Degrees of latitude beyond which a map in Mercator's projection has nothing, in whole ones. */
export const MAP_LATITUDE = 85;

export interface MainBox {
  /** West, south, east and north; null where there is no place at all. */
  readonly box: Box | null;
  /** How many places lie so far from the others that they are left out. */
  readonly far: number;
}

/**
 * What a map shows at first: all places, but for a few so far from the others that these would be one dot next to them, and those
 * around the poles, which it cannot show where they are.
 */
export function mainBox(boxes: readonly Box[]): MainBox {
  const onMap = boxes.filter(([, south, , north]) => Math.abs(south + north) / 2 <= MAP_LATITUDE);
  if (onMap.length === 0) return { box: boxAround(boxes), far: 0 };
  const lons = new Float64Array(onMap.length);
  const lats = new Float64Array(onMap.length);
  for (const [i, [west, south, east, north]] of onMap.entries()) {
    lons[i] = (west + east) / 2;
    lats[i] = (south + north) / 2;
  }
  const [lon, lat] = [median(lons), median(lats)];
  const distances = lons.map((each, i) => Math.hypot(each - lon, lats[i]! - lat));
  const usual = distances.toSorted()[usualCount(onMap.length) - 1]!;
  const limit = Math.max(onMap.length < FEW ? LEAST_DEGREES_OF_FEW : LEAST_DEGREES, usual * TIMES);
  const main = onMap.filter((_, i) => distances[i]! <= limit);
  return { box: boxAround(main), far: boxes.length - main.length };
}

/** How many places the view is always made of: of two both, of a few more all but one. */
function usualCount(places: number): number {
  return places < 3 ? places : places < FEW ? places - 1 : Math.ceil(places * MOST);
}

/** West, south, east and north of all boxes, or null when there is none. */
export function boxAround(boxes: readonly Box[]): Box | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    if (box[0] < west) west = box[0];
    if (box[1] < south) south = box[1];
    if (box[2] > east) east = box[2];
    if (box[3] > north) north = box[3];
  }
  return west > east ? null : [west, south, east, north];
}

function median(values: Float64Array): number {
  return values.toSorted()[values.length >> 1] ?? 0;
}
