import { latticeProjection } from '../outline/lattice.ts';
import { SMOOTHING } from '../outline/outline.ts';
import { dropFlat, type PinnedRings } from '../outline/segmentize.ts';
import { straightenStairs } from '../outline/straighten-stairs.ts';
import { cutCorners, findStructuralCorners, taubin } from '../outline/smooth-rings.ts';
import { metresPerDegreeNorth } from '../ellipsoid.ts';
import type { LabelArc } from './label-arcs.ts';

/** Where the cells of an image lie: `x = a * column + c`, `y = e * row + f` from their corners, in `EPSG:4326` or a UTM zone on WGS84. */
export interface CellGrid {
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  readonly crs: string;
}

/** Decimals of the degrees: about a millimetre. */
const UNITS_PER_DEGREE = 1e8;

/**
 * Arcs in degrees, smooth like the outlines of segments (slopes for stairs, Taubin, then Chaikin), or along the cells. The ends of an arc, where borders meet, stay where they are, and so
 * do structural corners. Each is a line of longitude, latitude pairs; a closed one repeats its first.
 */
export function smoothArcs(arcs: readonly LabelArc[], grid: CellGrid, isSmooth: boolean): Float64Array[] {
  return arcs.map((arc) => {
    const cut = cutAtCells(drawArc(arc, isSmooth), arc.isClosed, grid);
    if (!isSmooth) return lineOf(dropFlat(cut, 0), arc.isClosed);
    const { lambda, mu } = SMOOTHING.taubin;
    let rings = taubin(cut, { lambda, mu, steps: SMOOTHING.taubinSteps[0] });
    for (let round = 0; round < SMOOTHING.chaikinRounds; round++) rings = cutCorners(rings);
    return lineOf(dropFlat(rings, SMOOTHING.flat * cellNorthM(grid, cut.coords[1])), arc.isClosed);
  });
}

/** The arc with a vertex at every cell, and at every half cell where it closes around a few of them. An open one is laid out as a ring with pinned ends, which no step of the smoothing looks across. */
function cutAtCells({ places, pinned }: DrawnArc, isClosed: boolean, { transform, crs }: CellGrid): PinnedRings {
  const count = places.length / 2;
  const edge = (v: number): readonly [dx: number, dy: number] => {
    const next = v + 1 === count ? 0 : v + 1;
    return [places[2 * next] - places[2 * v], places[2 * next + 1] - places[2 * v + 1]];
  };
  let length = 0;
  for (let v = 0; v < count; v++) length += Math.hypot(...edge(v));
  const perCell = isClosed && length < SMOOTHING.shortRing ? 2 : 1;
  const cut: number[] = [];
  const cutPinned: number[] = [];
  for (let v = 0; v < count; v++) {
    const isEnd = !isClosed && (v === 0 || v === count - 1);
    cutPinned.push(isEnd ? 1 : pinned[v]);
    cut.push(places[2 * v], places[2 * v + 1]);
    if (!isClosed && v === count - 1) break;
    const [dx, dy] = edge(v);
    const cuts = Math.ceil(perCell * Math.hypot(dx, dy) - 1e-6);
    for (let k = 1; k < cuts; k++) {
      cut.push(places[2 * v] + (dx * k) / cuts, places[2 * v + 1] + (dy * k) / cuts);
      cutPinned.push(0);
    }
  }
  const [a, , c, , e, f] = transform;
  const coords = new Float64Array(cut.length);
  const { toLonLat } = latticeProjection(crs);
  for (let i = 0; i < cut.length; i += 2) toLonLat(a * cut[i] + c, e * cut[i + 1] + f, coords, i);
  return { coords, starts: Int32Array.of(0, cut.length / 2), pinned: Uint8Array.from(cutPinned) };
}

/** Vertices of an arc in cells, and which of them stay where they are. */
interface DrawnArc {
  readonly places: Int32Array | Float64Array;
  readonly pinned: Uint8Array;
}

/** The arc along the cells, or with slopes for its stairs. */
function drawArc({ corners, isClosed }: LabelArc, isSmooth: boolean): DrawnArc {
  const count = corners.length / 2;
  const ring = { coords: corners, starts: Int32Array.of(0, count) };
  const structural = findStructuralCorners(ring, { width: 1, height: 1 }, SMOOTHING.structuralRun);
  if (!isSmooth) return { places: corners, pinned: structural };
  const kept = structural.slice();
  if (!isClosed) kept[0] = kept[count - 1] = 1;
  const { coords: places, pinned } = straightenStairs(ring, structural, kept, !isClosed);
  return { places, pinned };
}

function lineOf({ coords }: PinnedRings, isClosed: boolean): Float64Array {
  const line = new Float64Array(coords.length + (isClosed ? 2 : 0));
  for (let i = 0; i < line.length; i++)
    line[i] = Math.round(coords[i % coords.length] * UNITS_PER_DEGREE) / UNITS_PER_DEGREE;
  return line;
}

function cellNorthM({ transform, crs }: CellGrid, lat: number): number {
  const side = Math.abs(transform[4]);
  return crs === 'EPSG:4326' ? side * metresPerDegreeNorth(lat) : side;
}
