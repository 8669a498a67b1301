import type { Descent } from './descend.ts';
import { MASKED, type Relief } from './relief.ts';

/**
 * The places that have a lower neighbour in another basin, lowest first: where lakes of two or more basins can meet.
 * Sorted by counting, 11 bits at a time, from raster order, which settles equal heights.
 */
export function findSaddles(relief: Relief, descent: Descent): Int32Array {
  const { heights, stride, first, last } = relief;
  const { basins } = descent;
  const saddles = new Int32Array(heights.length);
  let count = 0;
  for (let place = first; place <= last; place++) {
    const own = heights[place];
    if (own === MASKED) continue;
    const basin = basins[place];
    if (
      (basins[place - stride] !== basin && heights[place - stride] <= own) ||
      (basins[place - 1] !== basin && heights[place - 1] <= own) ||
      (basins[place + 1] !== basin && heights[place + 1] < own) ||
      (basins[place + stride] !== basin && heights[place + stride] < own)
    ) {
      saddles[count++] = place;
    }
  }
  return sortByHeight(saddles.subarray(0, count), heights);
}

const RADIX = 2048;
/** Right shifts that bring the three digits of a height down. */
const SHIFTS = [0, 11, 22] as const;

function sortByHeight(places: Int32Array, heights: Int32Array): Int32Array {
  let from = places;
  let to: Int32Array = new Int32Array(places.length);
  for (const shift of SHIFTS) {
    sortByDigit(from, heights, shift, to);
    [from, to] = [to, from];
  }
  return from;
}

function sortByDigit(places: Int32Array, heights: Int32Array, shift: number, out: Int32Array): void {
  const ends = new Int32Array(RADIX + 1);
  for (let i = 0; i < places.length; i++) ends[((heights[places[i]] >> shift) & (RADIX - 1)) + 1]++;
  for (let digit = 0; digit < RADIX; digit++) ends[digit + 1] += ends[digit];
  for (let i = 0; i < places.length; i++) out[ends[(heights[places[i]] >> shift) & (RADIX - 1)]++] = places[i];
}
