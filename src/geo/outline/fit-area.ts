import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import { polygonArea } from '../rings/polygon-area.ts';
import { ringViews } from './rings.ts';
import type { PinnedRings } from './segmentize.ts';

interface FitAreaOptions {
  /** Square metres wanted. */
  readonly target: number;
  /** Largest share of the target by which the result may still differ. */
  readonly tolerance: number;
  /** Farthest that a vertex may be moved, in metres. */
  readonly maxMove: number;
}

const ROUNDS = 5;

/**
 * Gives smoothed rings the area that they should have: moves every vertex that is not pinned outwards or inwards along its
 * normal, all by the same distance, which is found by Newton's method. That is far less than scaling would move the
 * outer edges of a segment with many holes. Null when the area cannot be had within `maxMove`.
 *
 * @param rings longitude, latitude in degrees, the inside of the polygon on the right.
 */
export function fitArea(rings: PinnedRings, { target, tolerance, maxMove }: FitAreaOptions): PinnedRings | null {
  const { coords, starts, pinned } = rings;
  const { normals, rate } = outwardNormals(rings);
  const moved = new Float64Array(coords);
  const result = { coords: moved, starts, pinned };
  let distance = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const missing = target - polygonArea(ringViews(result)).area;
    if (Math.abs(missing) <= tolerance * target) return result;
    distance += missing / rate;
    if (!(Math.abs(distance) <= maxMove)) return null;
    for (let i = 0; i < coords.length; i++) moved[i] = coords[i] + distance * normals[i];
  }
  return null;
}

/**
 * Degrees that a vertex moves for one metre outwards, 0 for pinned ones, and the square metres that the polygon gains
 * by it: half the distance between a vertex's neighbours each.
 */
function outwardNormals({ coords, starts, pinned }: PinnedRings): { normals: Float64Array; rate: number } {
  const normals = new Float64Array(coords.length);
  const east = metresPerDegreeEast(coords[1]);
  const north = metresPerDegreeNorth(coords[1]);
  let rate = 0;
  for (let r = 0; r + 1 < starts.length; r++) {
    const last = starts[r + 1] - 1;
    for (let v = starts[r], before = last; v <= last; before = v++) {
      const after = v === last ? starts[r] : v + 1;
      const x = (coords[2 * after] - coords[2 * before]) * east;
      const y = (coords[2 * after + 1] - coords[2 * before + 1]) * north;
      const length = Math.sqrt(x * x + y * y);
      if (pinned[v] === 1 || length === 0) continue;
      normals[2 * v] = -y / (length * east);
      normals[2 * v + 1] = x / (length * north);
      rate += length / 2;
    }
  }
  return { normals, rate };
}
