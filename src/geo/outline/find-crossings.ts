import type { Rings } from './rings.ts';

/** Places found at most: enough to mend a shape, and a bound on the work for a hopeless one. */
const MOST = 64;

/**
 * Places (longitude, latitude pairs) where edges of the rings meet that should not: crossings, a vertex on another edge, a
 * ring that passes one place twice, edges that lie on each other. Empty for rings that are simple and apart. Two rings may
 * share a vertex, bit for bit: traced rings do where cells touch at a corner.
 *
 * Edges are sorted into square bins about as many as there are edges, and only edges of one bin are compared: linear
 * time for outlines, whose edges are short. Coordinates should be rounded to 8 decimals, so that the signs
 * of the determinants are exact.
 */
export function findCrossings(rings: Rings): number[] {
  const edges = edgesOf(rings);
  const bins = binEdges(edges);
  const found: number[] = [];
  for (let bin = 0; bin + 1 < bins.starts.length && found.length < 2 * MOST; bin++) {
    for (let i = bins.starts[bin]; i < bins.starts[bin + 1]; i++) {
      for (let j = i + 1; j < bins.starts[bin + 1]; j++) {
        const at = 4 * bins.edges[i];
        if (meet(edges, at, 4 * bins.edges[j], rings.starts)) found.push(edges[at], edges[at + 1]);
      }
    }
  }
  return found;
}

/** Start and end of every edge: x0, y0, x1, y1. */
function edgesOf({ coords, starts }: Rings): Float64Array {
  const edges = new Float64Array(coords.length * 2);
  for (let r = 0; r + 1 < starts.length; r++) {
    const last = starts[r + 1] - 1;
    for (let v = starts[r]; v <= last; v++) {
      const next = v === last ? starts[r] : v + 1;
      edges[4 * v] = coords[2 * v];
      edges[4 * v + 1] = coords[2 * v + 1];
      edges[4 * v + 2] = coords[2 * next];
      edges[4 * v + 3] = coords[2 * next + 1];
    }
  }
  return edges;
}

interface Bins {
  /** Bin b holds `edges[starts[b]]` up to `edges[starts[b + 1]]`. */
  readonly starts: Int32Array;
  readonly edges: Int32Array;
}

/** Puts every edge into all bins that it may pass: column by column, the rows that it spans there. */
function binEdges(edges: Float64Array): Bins {
  const count = edges.length / 4;
  let west = Infinity;
  let south = Infinity;
  let east = -Infinity;
  let north = -Infinity;
  for (let i = 0; i < edges.length; i += 4) {
    if (edges[i] < west) west = edges[i];
    if (edges[i] > east) east = edges[i];
    if (edges[i + 1] < south) south = edges[i + 1];
    if (edges[i + 1] > north) north = edges[i + 1];
  }
  const side = Math.max(
    Math.sqrt(((east - west) * (north - south)) / count),
    (east - west + north - south) / count,
    1e-9,
  );
  const columns = Math.floor((east - west) / side) + 1;
  const rows = Math.floor((north - south) / side) + 1;
  const perSide = 1 / side;
  const starts = new Int32Array(columns * rows + 1);
  let held = new Int32Array(0);
  // First pass counts, second pass fills from the end of each bin.
  for (let pass = 0; pass < 2; pass++) {
    for (let e = 0; e < count; e++) {
      const flip = edges[4 * e] > edges[4 * e + 2] ? 2 : 0;
      const x0 = (edges[4 * e + flip] - west) * perSide;
      const y0 = (edges[4 * e + flip + 1] - south) * perSide;
      const x1 = (edges[4 * e + 2 - flip] - west) * perSide;
      const y1 = (edges[4 * e + 3 - flip] - south) * perSide;
      const firstColumn = Math.min(x0 | 0, columns - 1);
      const lastColumn = Math.min(x1 | 0, columns - 1);
      const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
      for (let column = firstColumn; column <= lastColumn; column++) {
        const enter = column === firstColumn ? y0 : y0 + slope * (column - x0);
        const leave = column === lastColumn ? y1 : y0 + slope * (column + 1 - x0);
        // A hair wider than the exact span: rounding must not lose the bin in which two edges meet.
        const low = Math.max(0, Math.min(enter, leave) - 1e-6) | 0;
        const high = Math.min(rows - 1, Math.max(enter, leave) + 1e-6) | 0;
        for (let row = low; row <= high; row++) {
          if (pass === 0) starts[column * rows + row + 1]++;
          else held[--starts[column * rows + row + 1]] = e;
        }
      }
    }
    if (pass === 0) {
      for (let b = 1; b < starts.length; b++) starts[b] += starts[b - 1];
      held = new Int32Array(starts[starts.length - 1]);
    }
  }
  // Filling moved the end of each bin down to its start.
  starts.copyWithin(0, 1);
  starts[starts.length - 1] = held.length;
  return { starts, edges: held };
}

function meet(edges: Float64Array, a: number, b: number, starts: Int32Array): boolean {
  const ax = edges[a];
  const ay = edges[a + 1];
  const bx = edges[a + 2];
  const by = edges[a + 3];
  const cx = edges[b];
  const cy = edges[b + 1];
  const dx = edges[b + 2];
  const dy = edges[b + 3];
  if ((ax > cx && ax > dx && bx > cx && bx > dx) || (ax < cx && ax < dx && bx < cx && bx < dx)) return false;
  if ((ay > cy && ay > dy && by > cy && by > dy) || (ay < cy && ay < dy && by < cy && by < dy)) return false;
  if (ax === cx && ay === cy) return overlap(ax, ay, bx, by, dx, dy) || isLoop(edges, a / 4, b / 4, starts);
  if (ax === dx && ay === dy) return overlap(ax, ay, bx, by, cx, cy) || isLoop(edges, a / 4, b / 4, starts);
  if (bx === cx && by === cy) return overlap(bx, by, ax, ay, dx, dy) || isLoop(edges, a / 4, b / 4, starts);
  if (bx === dx && by === dy) return overlap(bx, by, ax, ay, cx, cy) || isLoop(edges, a / 4, b / 4, starts);
  const c = side(ax, ay, bx, by, cx, cy);
  const d = side(ax, ay, bx, by, dx, dy);
  if ((c > 0 && d > 0) || (c < 0 && d < 0)) return false;
  const e = side(cx, cy, dx, dy, ax, ay);
  const f = side(cx, cy, dx, dy, bx, by);
  return !((e > 0 && f > 0) || (e < 0 && f < 0));
}

/**
 * Two edges that share a point close a loop of their ring there: they are of one ring and do not follow each other.
 * Moving the vertices of a tight bend outwards makes such loops, and rounding closes them.
 */
function isLoop(edges: Float64Array, a: number, b: number, starts: Int32Array): boolean {
  if (a - b === 1 || b - a === 1) return false;
  let ring = 0;
  while (starts[ring + 1] <= a) ring++;
  const [first, end] = [starts[ring], starts[ring + 1]];
  if (b < first || b >= end) return false;
  return !follows(edges, a, b, first, end) && !follows(edges, b, a, first, end);
}

/** Whether nothing but repeated vertices lies between the end of edge `a` and the start of edge `b`. */
function follows(edges: Float64Array, a: number, b: number, first: number, end: number): boolean {
  const next = (edge: number): number => (edge + 1 === end ? first : edge + 1);
  let edge = next(a);
  while (edge !== b && edges[4 * edge] === edges[4 * edge + 2] && edges[4 * edge + 1] === edges[4 * edge + 3]) {
    edge = next(edge);
  }
  return edge === b;
}

/** Two edges from one shared point lie on each other. */
function overlap(px: number, py: number, qx: number, qy: number, rx: number, ry: number): boolean {
  return side(px, py, qx, qy, rx, ry) === 0 && (qx - px) * (rx - px) + (qy - py) * (ry - py) > 0;
}

/** Positive when r lies left of the line from p to q. */
function side(px: number, py: number, qx: number, qy: number, rx: number, ry: number): number {
  return (qx - px) * (ry - py) - (qy - py) * (rx - px);
}
