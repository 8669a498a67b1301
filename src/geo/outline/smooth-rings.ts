import type { Rings } from './rings.ts';
import type { PinnedRings } from './segmentize.ts';

/**
 * Marks the structural corners of traced rings with 1: vertices whose two adjoining straight runs are both at least
 * `minRun` metres long. Such a corner is a corner of the land, not a step of the raster's staircase, and is kept.
 *
 * @param rings corners of cells; every vertex is a right angle.
 * @param cell metres of a cell east-west and north-south.
 */
export function findStructuralCorners(
  rings: Rings<Int32Array>,
  cell: { readonly width: number; readonly height: number },
  minRun: number,
): Uint8Array {
  const { coords, starts } = rings;
  const structural = new Uint8Array(coords.length / 2);
  // A run of exactly the required length counts, whatever the rounding of metres per degree.
  const wanted = minRun * (1 - 1e-9);
  for (let r = 0; r + 1 < starts.length; r++) {
    const last = starts[r + 1] - 1;
    let before = runLength(coords, last, starts[r], cell);
    for (let v = starts[r]; v <= last; v++) {
      const after = runLength(coords, v, v === last ? starts[r] : v + 1, cell);
      structural[v] = before >= wanted && after >= wanted ? 1 : 0;
      before = after;
    }
  }
  return structural;
}

function runLength(coords: Int32Array, a: number, b: number, cell: { width: number; height: number }): number {
  const dx = Math.abs(coords[2 * b] - coords[2 * a]);
  const dy = Math.abs(coords[2 * b + 1] - coords[2 * a + 1]);
  return dx * cell.width + dy * cell.height;
}

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

interface TaubinOptions {
  /** Share of the way to the middle of its neighbours that a vertex takes in the shrinking half of a step. */
  readonly lambda: number;
  /** The same for the inflating half; negative, and larger than lambda in size, or the shape shrinks. */
  readonly mu: number;
  /** Pairs of a shrinking and an inflating half. */
  readonly steps: number;
}

/**
 * Smooths rings by Taubin's low-pass filter ("Curve and surface smoothing without shrinkage", 1995): a Laplacian step
 * with `lambda`, then one with `mu`, so that the size of the shape is kept. Pinned vertices stay. Returns new rings.
 */
export function taubin(rings: PinnedRings, { lambda, mu, steps }: TaubinOptions): PinnedRings {
  const { starts, pinned } = rings;
  let from: Float64Array = rings.coords;
  let to: Float64Array = new Float64Array(from.length);
  for (let half = 0; half < 2 * steps; half++) {
    relax(from, to, starts, pinned, half % 2 === 0 ? lambda : mu);
    const free = half === 0 ? new Float64Array(from.length) : from;
    from = to;
    to = free;
  }
  return { coords: steps > 0 ? from : from.slice(), starts, pinned };
}

function relax(from: Float64Array, out: Float64Array, starts: Int32Array, pinned: Uint8Array, share: number): void {
  const half = share / 2;
  const rest = 1 - share;
  for (let r = 0; r + 1 < starts.length; r++) {
    const first = starts[r];
    const last = starts[r + 1] - 1;
    for (let v = first, before = last; v <= last; before = v++) {
      const after = v === last ? first : v + 1;
      if (pinned[v] === 1) {
        out[2 * v] = from[2 * v];
        out[2 * v + 1] = from[2 * v + 1];
      } else {
        out[2 * v] = rest * from[2 * v] + half * (from[2 * before] + from[2 * after]);
        out[2 * v + 1] = rest * from[2 * v + 1] + half * (from[2 * before + 1] + from[2 * after + 1]);
      }
    }
  }
}
