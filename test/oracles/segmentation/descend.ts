import { MASKED, type Relief } from './relief.ts';

/** Where water runs to, and the basins it gathers in. */
export interface Descent {
  /** For each place its lowest neighbour, or itself when none is lower; -1 where masked. */
  readonly next: Int32Array;
  /** Basin of each place, from 0; -1 where masked. */
  readonly basins: Int32Array;
  /** Lowest place of each basin. */
  readonly bottoms: Int32Array;
}

/** Steepest descent: each place belongs to the basin that the way down over the lowest neighbours ends in. */
export function descend(relief: Relief): Descent {
  const next = findNext(relief);
  const { basins, bottoms } = gather(relief, next);
  return { next, basins, bottoms };
}

function findNext({ heights, stride, first, last }: Relief): Int32Array {
  const next = new Int32Array(heights.length).fill(-1);
  for (let place = first; place <= last; place++) {
    const own = heights[place];
    if (own === MASKED) continue;
    // In raster order, and strictly lower: so of equal heights the first one wins.
    let lowest = place - stride;
    let height = heights[lowest];
    if (heights[place - 1] < height) height = heights[(lowest = place - 1)];
    if (own < height) height = heights[(lowest = place)];
    if (heights[place + 1] < height) height = heights[(lowest = place + 1)];
    if (heights[place + stride] < height) lowest = place + stride;
    next[place] = lowest;
  }
  return next;
}

/** Follows each way down to a place whose basin is known, then writes the basin along the way. */
function gather({ heights, first, last }: Relief, next: Int32Array): { basins: Int32Array; bottoms: Int32Array } {
  const basins = new Int32Array(heights.length).fill(-1);
  const bottoms = new Int32Array((heights.length >> 1) + 1);
  let count = 0;
  for (let place = first; place <= last; place++) {
    if (next[place] < 0 || basins[place] >= 0) continue;
    let end = place;
    while (basins[end] < 0 && next[end] !== end) end = next[end];
    if (basins[end] < 0) {
      bottoms[count] = end;
      basins[end] = count++;
    }
    const basin = basins[end];
    for (let at = place; basins[at] < 0; at = next[at]) basins[at] = basin;
  }
  return { basins, bottoms: bottoms.subarray(0, count) };
}
