import { latticeProjection } from '../outline/lattice.ts';
import { SMOOTHING } from '../outline/outline.ts';
import { dropFlat, type PinnedRings } from '../outline/segmentize.ts';
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
 * Arcs in degrees, smooth like the outlines of segments (Taubin, then Chaikin), or along the cells. The ends of an arc, where borders meet, stay where they are, and so
 * do structural corners. Each is a line of longitude, latitude pairs; a closed one repeats its first.
 */
export function smoothArcs(arcs: readonly LabelArc[], grid: CellGrid, isSmooth: boolean): Float64Array[] {
  return arcs.map((arc) => {
    const cut = cutAtCells(arc, grid);
    if (!isSmooth) return lineOf(dropFlat(cut, 0), arc.isClosed);
    const { lambda, mu } = SMOOTHING.taubin;
    let rings = taubin(cut, { lambda, mu, steps: SMOOTHING.taubinSteps[0] });
    for (let round = 0; round < SMOOTHING.chaikinRounds; round++) rings = cutCorners(rings);
    return lineOf(dropFlat(rings, SMOOTHING.flat * cellNorthM(grid, cut.coords[1])), arc.isClosed);
  });
}

/** The arc with a vertex at every cell, and at every half cell where it closes around a few of them. An open one is laid out as a ring with pinned ends, which no step of the smoothing looks across. */
function cutAtCells({ corners, isClosed }: LabelArc, { transform, crs }: CellGrid): PinnedRings {
  const count = corners.length / 2;
  const structural = findStructuralCorners(
    { coords: corners, starts: Int32Array.of(0, count) },
    { width: 1, height: 1 },
    SMOOTHING.structuralRun,
  );
  const perCell = isClosed && cellsAlong(corners) < SMOOTHING.shortRing ? 2 : 1;
  const places: number[] = [];
  const pinned: number[] = [];
  for (let v = 0; v < count; v++) {
    const isEnd = !isClosed && (v === 0 || v === count - 1);
    places.push(corners[2 * v], corners[2 * v + 1]);
    pinned.push(isEnd ? 1 : structural[v]);
    if (!isClosed && v === count - 1) break;
    const next = v + 1 === count ? 0 : v + 1;
    const [dx, dy] = [corners[2 * next] - corners[2 * v], corners[2 * next + 1] - corners[2 * v + 1]];
    const cuts = perCell * (Math.abs(dx) + Math.abs(dy));
    for (let k = 1; k < cuts; k++) {
      places.push(corners[2 * v] + (dx * k) / cuts, corners[2 * v + 1] + (dy * k) / cuts);
      pinned.push(0);
    }
  }
  const [a, , c, , e, f] = transform;
  const coords = new Float64Array(places.length);
  const { toLonLat } = latticeProjection(crs);
  for (let i = 0; i < places.length; i += 2) toLonLat(a * places[i] + c, e * places[i + 1] + f, coords, i);
  return { coords, starts: Int32Array.of(0, places.length / 2), pinned: Uint8Array.from(pinned) };
}

/** Sides of cells along a closed arc. */
function cellsAlong(corners: LabelArc['corners']): number {
  let length = 0;
  for (let v = 0; v < corners.length; v += 2) {
    const next = v + 2 === corners.length ? 0 : v + 2;
    length += Math.abs(corners[next] - corners[v]) + Math.abs(corners[next + 1] - corners[v + 1]);
  }
  return length;
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
