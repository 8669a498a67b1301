import type { Rings } from './rings.ts';

/** Rings on the lattice, in cells, with a mark at each vertex that smoothing must leave where it is. */
interface StraightRings extends Rings {
  readonly pinned: Uint8Array;
}

/**
 * Draws the stairs of traced rings as the slopes that they stand for: where a border turns one way and back, its runs are joined at
 * their middles, which lie on a line for slopes such as 1 : 1, 1 : 3 and 2 : 5, and near one for any other. Runs of
 * different lengths give way by half the shorter, so a single step in a long straight border stays one, and no ground is lost. Bends that turn the same way twice, and kept vertices, stay; no corner is farther than 0.71 cells from the result.
 *
 * Taubin's filter alone leaves the long stairs of gentle slopes: they are shapes of several cells to it.
 *
 * @param rings corners of cells; every vertex is a right angle.
 * @param structural 1 for each corner to pin.
 * @param kept 1 for each corner that stays as it is; default the structural ones.
 * @param isOpen one ring that is a line between its first and its last vertex, which both stay.
 */
export function straightenStairs(
  { coords, starts }: Rings<Int32Array>,
  structural: Uint8Array,
  kept = structural,
  isOpen = false,
): StraightRings {
  const out = new Float64Array(coords.length * 2);
  const pinned = new Uint8Array(coords.length);
  const outStarts = new Int32Array(starts.length);
  let at = 0;
  const add = (x: number, y: number, pin: number, first: number): void => {
    // Two cuts that meet at the middle of a run are one vertex.
    if (at > first && out[2 * at - 2] === x && out[2 * at - 1] === y) return;
    pinned[at] = pin;
    out[2 * at] = x;
    out[2 * at++ + 1] = y;
  };
  for (let r = 0; r + 1 < starts.length; r++) {
    const first = at;
    const ring = readRing(coords, starts[r], starts[r + 1], isOpen);
    for (let v = 0; v < ring.count; v++) {
      const corner = starts[r] + v;
      const [x, y] = [coords[2 * corner], coords[2 * corner + 1]];
      if (kept[corner] === 1 || !isStep(ring, v)) {
        add(x, y, structural[corner], first);
        continue;
      }
      const [last, next] = [starts[r] + ring.at(v - 1), starts[r] + ring.at(v + 1)];
      const { before, after } = cutsAt(ring, v);
      if (!isCrossed(ring, v, kept[last] === 1)) {
        add(x + Math.sign(coords[2 * last] - x) * before, y + Math.sign(coords[2 * last + 1] - y) * before, 0, first);
      }
      if (!isCrossed(ring, ring.at(v + 1), kept[next] === 1)) {
        add(x + Math.sign(coords[2 * next] - x) * after, y + Math.sign(coords[2 * next + 1] - y) * after, 0, first);
      }
    }
    if (!isOpen && at - first > 1 && out[2 * at - 2] === out[2 * first] && out[2 * at - 1] === out[2 * first + 1]) at--;
    outStarts[r + 1] = at;
  }
  return { coords: out.subarray(0, at * 2), starts: outStarts, pinned: pinned.subarray(0, at) };
}

interface Ring {
  readonly count: number;
  /** A place on the ring, from any whole number. */
  readonly at: (v: number) => number;
  /** Cells from vertex v to the next. */
  readonly runs: Int32Array;
  /** 1 or -1 at each vertex, by the way it turns; 0 at the ends of a line. */
  readonly turns: Int8Array;
}

function readRing(coords: Int32Array, from: number, to: number, isOpen: boolean): Ring {
  const count = to - from;
  const at = (v: number): number => (v + 4 * count) % count;
  const runs = new Int32Array(count);
  const turns = new Int8Array(count);
  const step = (v: number, axis: number): number =>
    coords[2 * (from + at(v + 1)) + axis] - coords[2 * (from + at(v)) + axis];
  for (let v = 0; v < count; v++) {
    const before = at(v - 1);
    runs[v] = Math.abs(step(v, 0)) + Math.abs(step(v, 1));
    turns[v] = Math.sign(step(before, 0) * step(v, 1) - step(before, 1) * step(v, 0));
  }
  if (isOpen) turns[0] = turns[count - 1] = 0;
  return { count, at, runs, turns };
}

/** Whether the border turns one way and back at a vertex: with the vertex before it or the one after. */
function isStep({ at, turns }: Ring, v: number): boolean {
  return turns[v] !== 0 && (turns[at(v + 1)] === -turns[v] || turns[at(v - 1)] === -turns[v]);
}

/** Cells of the runs before and after a step that give way to the slope. */
function cutsAt(ring: Ring, v: number): { readonly before: number; readonly after: number } {
  const [before, after] = [ring.runs[ring.at(v - 1)], ring.runs[v]];
  return {
    before:
      isSide(ring, v) && isEven(ring, v)
        ? before / 2
        : Math.min(before, isSide(ring, v) ? ring.runs[ring.at(v + 1)] : after) / 2,
    after:
      isSide(ring, v - 1) && isEven(ring, v - 1)
        ? after / 2
        : Math.min(after, isSide(ring, v - 1) ? ring.runs[ring.at(v - 2)] : before) / 2,
  };
}

/** Whether a single side of a cell begins at a vertex, with a turn one way before it and the other way after it. */
function isSide({ at, runs, turns }: Ring, v: number): boolean {
  return runs[at(v)] === 1 && turns[at(v)] !== 0 && turns[at(v + 1)] === -turns[at(v)];
}

/**
 * Whether the runs before and after a single side are of one straight slope: they are equally long, or one cell apart with the shorter
 * between two of the longer or the longer between two of the shorter. On a bend runs become ever shorter; cut at their middles, it
 * would lose ground.
 */
function isEven(ring: Ring, v: number): boolean {
  const { at, runs } = ring;
  const [before, after] = [runs[at(v - 1)], runs[at(v + 1)]];
  if (Math.abs(before - after) > 1) return false;
  if (before === after) return true;
  return (isSide(ring, v - 2) && runs[at(v - 3)] === after) || (isSide(ring, v + 2) && runs[at(v + 3)] === before);
}

/** Whether the slope goes past the single side before a vertex, from run to run. Where one of its ends is kept, it does not. */
function isCrossed(ring: Ring, v: number, isKept: boolean): boolean {
  const { at, runs } = ring;
  return !isKept && isSide(ring, v - 1) && isEven(ring, v - 1) && runs[at(v - 2)] > 1 && runs[at(v)] > 1;
}
