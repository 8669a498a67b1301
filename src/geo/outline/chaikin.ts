import type { PinnedRings } from './segmentize.ts';

/** Squared sine of the bend below which a vertex lies on the line through its neighbours: 1 micrometre in 1 m. */
const FLAT = 1e-12;

/** What becomes of a vertex. */
const CUT = 0;
const STRAIGHT = 1;
const PINNED = 2;

/**
 * Cuts the corners of rings (Chaikin 1974), once: a vertex gives way to two points a quarter of the way to its
 * neighbours. A pinned vertex is kept and the quarter points next to it are left out. A vertex on a straight line that
 * goes on at both sides is kept too: the curve is the same, with fewer points. Returns new rings.
 */
export function cutCorners(rings: PinnedRings): PinnedRings {
  const { coords, starts } = rings;
  const kinds = kindsOf(rings);
  const out = new Float64Array(coords.length * 2);
  const pinned = new Uint8Array(coords.length);
  const outStarts = new Int32Array(starts.length);
  let at = 0;
  for (let r = 0; r + 1 < starts.length; r++) {
    const first = starts[r];
    const last = starts[r + 1] - 1;
    for (let v = first, before = last; v <= last; before = v++) {
      const after = v === last ? first : v + 1;
      const x = coords[2 * v];
      const y = coords[2 * v + 1];
      if (kinds[v] === PINNED || (kinds[v] === STRAIGHT && kinds[before] !== CUT && kinds[after] !== CUT)) {
        pinned[at] = kinds[v] === PINNED ? 1 : 0;
        out[2 * at] = x;
        out[2 * at++ + 1] = y;
      } else {
        out[2 * at] = 0.75 * x + 0.25 * coords[2 * before];
        out[2 * at++ + 1] = 0.75 * y + 0.25 * coords[2 * before + 1];
        out[2 * at] = 0.75 * x + 0.25 * coords[2 * after];
        out[2 * at++ + 1] = 0.75 * y + 0.25 * coords[2 * after + 1];
      }
    }
    outStarts[r + 1] = at;
  }
  return { coords: out.subarray(0, at * 2), starts: outStarts, pinned: pinned.subarray(0, at) };
}

function kindsOf({ coords, starts, pinned }: PinnedRings): Uint8Array {
  const kinds = new Uint8Array(coords.length / 2);
  for (let r = 0; r + 1 < starts.length; r++) {
    const first = starts[r];
    const last = starts[r + 1] - 1;
    for (let v = first, before = last; v <= last; before = v++) {
      const after = v === last ? first : v + 1;
      const ux = coords[2 * v] - coords[2 * before];
      const uy = coords[2 * v + 1] - coords[2 * before + 1];
      const wx = coords[2 * after] - coords[2 * v];
      const wy = coords[2 * after + 1] - coords[2 * v + 1];
      const cross = ux * wy - uy * wx;
      if (pinned[v] === 1) kinds[v] = PINNED;
      else if (cross * cross <= FLAT * (ux * ux + uy * uy) * (wx * wx + wy * wy)) kinds[v] = STRAIGHT;
    }
  }
  return kinds;
}
