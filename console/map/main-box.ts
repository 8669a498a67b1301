import type { Box } from './box-polygon.ts';

/** Share of the places that the view is always made of. */
const MOST = 0.9;
/** Times as far from the middle as those, and at least so many degrees, is far away. */
const TIMES = 20;
const LEAST_DEGREES = 1;

interface MainBox {
  /** West, south, east and north; null where there is no place at all. */
  readonly box: Box | null;
  /** How many places lie so far from the others that they are left out. */
  readonly far: number;
}

/** What a map shows at first: all places, but for a few so far from the others that these would be one dot next to them. */
export function mainBox(boxes: readonly Box[]): MainBox {
  const middle = [
    median(boxes.map(([west, , east]) => (west + east) / 2)),
    median(boxes.map(([, south, , north]) => (south + north) / 2)),
  ];
  const distances = Float64Array.from(boxes, ([west, south, east, north]) =>
    Math.hypot((west + east) / 2 - middle[0]!, (south + north) / 2 - middle[1]!),
  );
  const usual = distances.toSorted()[Math.ceil(boxes.length * MOST) - 1] ?? 0;
  const limit = Math.max(LEAST_DEGREES, usual * TIMES);
  return {
    box: boxAround(boxes.filter((_, i) => distances[i]! <= limit)),
    far: distances.filter((one) => one > limit).length,
  };
}

/** West, south, east and north of all boxes, or null when there is none. */
export function boxAround(boxes: readonly Box[]): Box | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    west = Math.min(west, box[0]);
    south = Math.min(south, box[1]);
    east = Math.max(east, box[2]);
    north = Math.max(north, box[3]);
  }
  return west > east ? null : [west, south, east, north];
}

function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[values.length >> 1] ?? 0;
}
