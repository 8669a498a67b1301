import { metresPerDegreeEast, metresPerDegreeNorth } from '../local-metric.ts';
import type { PinnedRings } from './segmentize.ts';

/**
 * Leaves out the vertices that lie within `tolerance` metres of the line from the last vertex kept to the next one: the
 * points that segmentizing put on straight runs. Pinned vertices and the first of each ring stay. Returns new rings.
 */
export function dropFlat(rings: PinnedRings, tolerance: number): PinnedRings {
  const { coords, starts, pinned } = rings;
  const out = new Float64Array(coords.length);
  const outPinned = new Uint8Array(pinned.length);
  const outStarts = new Int32Array(starts.length);
  const east = metresPerDegreeEast(coords[1]);
  const north = metresPerDegreeNorth(coords[1]);
  const limit = tolerance * tolerance;
  let at = 0;
  for (let r = 0; r + 1 < starts.length; r++) {
    const last = starts[r + 1] - 1;
    for (let v = starts[r]; v <= last; v++) {
      const after = v === last ? starts[r] : v + 1;
      if (v > starts[r] && pinned[v] === 0) {
        const ux = (coords[2 * after] - out[2 * at - 2]) * east;
        const uy = (coords[2 * after + 1] - out[2 * at - 1]) * north;
        const wx = (coords[2 * v] - out[2 * at - 2]) * east;
        const wy = (coords[2 * v + 1] - out[2 * at - 1]) * north;
        const cross = ux * wy - uy * wx;
        const along = ux * wx + uy * wy;
        const length2 = ux * ux + uy * uy;
        if (cross * cross <= limit * length2 && along > 0 && along < length2) continue;
      }
      outPinned[at] = pinned[v];
      out[2 * at] = coords[2 * v];
      out[2 * at++ + 1] = coords[2 * v + 1];
    }
    outStarts[r + 1] = at;
  }
  return { coords: out.subarray(0, at * 2), starts: outStarts, pinned: outPinned.subarray(0, at) };
}
