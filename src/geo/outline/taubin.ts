import type { PinnedRings } from './segmentize.ts';

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
