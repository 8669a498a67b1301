import { type Lattice, latticeProjection } from './lattice.ts';
import type { Rings } from './rings.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';

/** Rings in degrees with a mark at each vertex that smoothing must leave where it is. */
export interface PinnedRings extends Rings {
  readonly pinned: Uint8Array;
}

interface SegmentizeOptions {
  /** Metres of a cell east-west and north-south. */
  readonly cell: { readonly width: number; readonly height: number };
  /** No edge of the result is longer than this, in metres. */
  readonly maxLength: number;
  /** Rings shorter than this are cut twice as finely; in metres, default 0. */
  readonly shortRing?: number;
}

/**
 * Longest piece of a straight run that is drawn straight in degrees, in cells. A run of 16 cells of 20 m bends away from
 * its chord by 2 mm times the tangent of the latitude; longer runs get true points in between.
 */
const STRAIGHT_CELLS = 16;

/**
 * Takes traced rings from the lattice to longitude and latitude and cuts their edges so that none is longer than
 * `maxLength`; nothing moves. Only corners (and one point every 16 cells) are projected, the points between are
 * interpolated in degrees, which is several times cheaper and differs by millimetres.
 *
 * @param corners column, row pairs on the lattice.
 * @param structural 1 for each corner to pin.
 */
export function segmentize(
  corners: Rings<Int32Array> | Rings,
  structural: Uint8Array,
  lattice: Lattice,
  options: SegmentizeOptions,
): PinnedRings {
  const { coords, starts } = corners;
  const cutStarts = new Int32Array(starts.length);
  const plans = Array.from({ length: starts.length - 1 }, (_, r) => forRing(corners, r, options));
  for (let r = 0; r + 1 < starts.length; r++) {
    let count = 0;
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      count += edgePlan(coords, v, v + 1 < starts[r + 1] ? v + 1 : starts[r], plans[r]).cuts;
    }
    cutStarts[r + 1] = cutStarts[r] + count;
  }
  const total = cutStarts[starts.length - 1];
  const out = new Float64Array(total * 2 + 2);
  const pinned = new Uint8Array(total);
  const { toLonLat } = latticeProjection(lattice.crs);
  const project = (column: number, row: number, at: number) =>
    toLonLat(lattice.originX + column * lattice.cellWidth, lattice.originY - row * lattice.cellHeight, out, at);

  for (let r = 0; r + 1 < starts.length; r++) {
    let at = cutStarts[r];
    project(coords[2 * starts[r]], coords[2 * starts[r] + 1], 2 * at);
    const [firstX, firstY] = [out[2 * at], out[2 * at + 1]];
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      const last = v + 1 === starts[r + 1];
      const next = last ? starts[r] : v + 1;
      const { pieces, cutsPerPiece } = edgePlan(coords, v, next, plans[r]);
      const dx = (coords[2 * next] - coords[2 * v]) / pieces;
      const dy = (coords[2 * next + 1] - coords[2 * v + 1]) / pieces;
      pinned[at] = structural[v];
      for (let piece = 1; piece <= pieces; piece++) {
        const end = at + cutsPerPiece;
        if (last && piece === pieces) {
          interpolate(out, at, end, firstX, firstY);
        } else {
          project(coords[2 * v] + dx * piece, coords[2 * v + 1] + dy * piece, 2 * end);
          interpolate(out, at, end, out[2 * end], out[2 * end + 1]);
        }
        at = end;
      }
    }
  }
  return { coords: out.subarray(0, total * 2), starts: cutStarts, pinned };
}

function forRing(
  { coords, starts }: Rings<Int32Array> | Rings,
  r: number,
  options: SegmentizeOptions,
): SegmentizeOptions {
  const { cell, maxLength, shortRing = 0 } = options;
  let length = 0;
  for (let v = starts[r]; v < starts[r + 1] && length < shortRing; v++) {
    const next = v + 1 < starts[r + 1] ? v + 1 : starts[r];
    length += Math.hypot(
      (coords[2 * next] - coords[2 * v]) * cell.width,
      (coords[2 * next + 1] - coords[2 * v + 1]) * cell.height,
    );
  }
  // A ring of exactly this length is not shorter, whatever the rounding of metres per degree.
  return length < shortRing * (1 - 1e-9) ? { cell, maxLength: maxLength / 2 } : options;
}

/** How an edge is divided: pieces that are projected, and cuts within each of them. */
function edgePlan(coords: Int32Array | Float64Array, a: number, b: number, { cell, maxLength }: SegmentizeOptions) {
  const dx = Math.abs(coords[2 * b] - coords[2 * a]);
  const dy = Math.abs(coords[2 * b + 1] - coords[2 * a + 1]);
  const pieces = Math.ceil((dx + dy) / STRAIGHT_CELLS);
  const length = Math.hypot(dx * cell.width, dy * cell.height) / pieces;
  // A quotient that is whole but for rounding must not cost another cut.
  const cutsPerPiece = Math.max(1, Math.ceil(length / maxLength - 1e-6));
  return { pieces, cutsPerPiece, cuts: pieces * cutsPerPiece };
}

/** Fills the vertices between `from`, which is set, and `to`, which lies at x, y. */
function interpolate(out: Float64Array, from: number, to: number, x: number, y: number): void {
  const x0 = out[2 * from];
  const y0 = out[2 * from + 1];
  const n = to - from;
  for (let k = 1; k < n; k++) {
    out[2 * (from + k)] = x0 + ((x - x0) * k) / n;
    out[2 * (from + k) + 1] = y0 + ((y - y0) * k) / n;
  }
}

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
