import { cutPolygons, uniteFaces, type FlatPolygon } from '../../geo/partition/cut-polygons.ts';
import { labelArcs } from '../../geo/partition/label-arcs.ts';
import type { Geos } from '../../geo/partition/open-geos.ts';
import { smoothArcs, type CellGrid } from '../../geo/partition/smooth-arcs.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../../geo/ellipsoid.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import { findRingFault } from '../../geo/rings/ring-validity.ts';
import { coverPixels } from '../../geo/zonal/cover-pixels.ts';
import { cellsNextTo } from './find-pieces.ts';
import { OUTSIDE } from './find-kinds.ts';

/** The cells of a plot with the part each belongs to; `OUTSIDE` for those with no ground in it. */
interface PartCells {
  readonly width: number;
  readonly height: number;
  readonly partOf: Int16Array;
  /** Of the first cell's corner. */
  readonly grid: CellGrid;
  /** Polygons of the plot in cells of this image: x to the right, y down. For each in `polygons`. */
  readonly toCells: (polygon: FlatPolygon) => FlatPolygon;
}

/** One polygon of a proposed split. */
export interface DrawnPart {
  readonly part: number;
  /** Exterior counter-clockwise, holes clockwise, closed. */
  readonly polygon: FlatPolygon;
  /** Geodesic square metres. */
  readonly area: number;
}

/** Cells around the plot into which the parts are drawn out, so that borders leave it instead of ending on its outline. */
const REACH = 3;
/** Part of the plot's area, in square degrees, that the parts may miss: what rounding leaves. */
const ROUNDING = 1e-9;

/**
 * Draws the parts of a plot as polygons that exactly make it up: they do not overlap, share the vertices of their borders, and leave every vertex of the
 * plot's outline where it is. Borders are smooth; where that fails they run along the cells. A polygon of less than `leastHa` hectares is given to the neighbour with
 * the longest common border, but for one without a neighbour. Null where no faultless drawing was found.
 */
export function drawParts(
  polygons: readonly FlatPolygon[],
  cells: PartCells,
  leastHa: number,
  geos: Geos,
): DrawnPart[] | null {
  const image = drawnOut(cells);
  const arcs = labelArcs(image, FAR);
  for (const isSmooth of [true, false]) {
    const lines = smoothArcs(arcs, cells.grid, isSmooth);
    const faces = cutPolygons(polygons, lines, geos);
    const parts =
      faces &&
      unite(
        faces.map((face) => labelled(face, image, cells)),
        leastHa,
        geos,
      );
    if (parts !== null && isFaultless(parts, polygons)) return parts;
  }
  return null;
}

/** Of a cell too far from the plot to matter. */
const FAR = OUTSIDE - 1;

/** The image with each cell up to `REACH` from the plot in the part nearest to it. */
function drawnOut({ width, height, partOf }: PartCells) {
  const labels = partOf.map((part) => (part === OUTSIDE ? FAR : part));
  let edge = [...labels.keys()].filter((cell) => labels[cell] !== FAR);
  for (let step = 0; step < REACH; step++) {
    const found = edge.flatMap((cell) =>
      cellsNextTo(cell, width, height).flatMap((next) => (labels[next] === FAR ? [[next, labels[cell]] as const] : [])),
    );
    // All of a step at once, the first of several in raster order: no part reaches farther than another.
    const reached = new Map(found.toReversed());
    for (const [cell, label] of reached) labels[cell] = label;
    edge = [...reached.keys()].sort((a, b) => a - b);
  }
  return { width, height, labels };
}

interface Face {
  readonly polygon: FlatPolygon;
  readonly label: number;
  /** Geodesic square metres. */
  readonly area: number;
}

/** The label that covers most of a face. */
function labelled(
  polygon: FlatPolygon,
  { width, height, labels }: ReturnType<typeof drawnOut>,
  cells: PartCells,
): Face {
  const inCells = cells.toCells(polygon);
  const [xs, ys] = [0, 1].map((axis) => inCells[0].filter((_, i) => i % 2 === axis));
  const x0 = Math.max(0, Math.floor(least(xs)));
  const y0 = Math.max(0, Math.floor(least(ys)));
  const window = {
    x0,
    y0,
    width: Math.min(width, Math.ceil(most(xs))) - x0,
    height: Math.min(height, Math.ceil(most(ys))) - y0,
  };
  const shares = new Float64Array(Math.max(0, window.width * window.height));
  coverPixels([inCells], window, shares);
  const covered = new Map<number, number>();
  shares.forEach((share, i) => {
    const label = labels[(y0 + Math.floor(i / window.width)) * width + x0 + (i % window.width)];
    if (share > 0) covered.set(label, (covered.get(label) ?? 0) + share);
  });
  covered.delete(FAR);
  const [[label] = [FAR]] = [...covered].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return { polygon, label, area: polygonArea(polygon).area };
}

function least(values: Float64Array): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity);
}

function most(values: Float64Array): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity);
}

/** Connected faces of one label, to be drawn as one polygon. */
interface Block {
  label: number;
  area: number;
  readonly faces: number[];
  /** Metres of common border by block. */
  readonly borders: Map<number, number>;
}

function unite(faces: readonly Face[], leastHa: number, geos: Geos): DrawnPart[] | null {
  const blocks = new Map<number, Block>(
    faces.map(({ label, area }, i) => [i, { label, area, faces: [i], borders: new Map<number, number>() }]),
  );
  for (const [a, b, metres] of commonBorders(faces))
    for (const [from, to] of [
      [a, b],
      [b, a],
    ])
      blocks.get(from)!.borders.set(to, (blocks.get(from)!.borders.get(to) ?? 0) + metres);
  for (const [number, block] of blocks) joinAlike(blocks, number, block);
  for (let small = smallest(blocks, leastHa); small !== null; small = smallest(blocks, leastHa)) {
    const [number, block] = small;
    const [[into]] = [...block.borders].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    block.label = blocks.get(into)!.label;
    joinAlike(blocks, number, block);
  }
  const drawn: DrawnPart[] = [];
  for (const { label, faces: own } of blocks.values()) {
    const united = uniteFaces(
      own.map((face) => faces[face].polygon),
      geos,
    );
    if (united === null) return null;
    for (const rings of united) {
      const polygon = rings.map((ring, i) => turned(ring, i === 0));
      drawn.push({ part: label, polygon, area: polygonArea(polygon).area });
    }
  }
  return drawn.sort((a, b) => a.part - b.part || b.area - a.area || a.polygon[0][0] - b.polygon[0][0]);
}

/** Takes the neighbours of a block's own label into it, and theirs. */
function joinAlike(blocks: Map<number, Block>, number: number, block: Block): void {
  for (;;) {
    const alike = [...block.borders.keys()].find((other) => blocks.get(other)!.label === block.label);
    if (alike === undefined) return;
    const gone = blocks.get(alike)!;
    block.area += gone.area;
    block.faces.push(...gone.faces);
    blocks.delete(alike);
    block.borders.delete(alike);
    for (const [other, metres] of gone.borders) {
      if (other === number) continue;
      const all = (block.borders.get(other) ?? 0) + metres;
      block.borders.set(other, all);
      const { borders } = blocks.get(other)!;
      borders.delete(alike);
      borders.set(number, all);
    }
  }
}

function smallest(blocks: ReadonlyMap<number, Block>, leastHa: number): readonly [number, Block] | null {
  let best: readonly [number, Block] | null = null;
  for (const entry of blocks) {
    const [, { area, borders }] = entry;
    if (area >= leastHa * 10_000 || borders.size === 0) continue;
    if (best === null || area < best[1].area) best = entry;
  }
  return best;
}

/** Metres of border between faces, edge by edge. */
function commonBorders(faces: readonly Face[]): (readonly [a: number, b: number, metres: number])[] {
  const owners = new Map<string, number>();
  const found: (readonly [number, number, number])[] = [];
  for (const [number, { polygon }] of faces.entries())
    for (const ring of polygon)
      for (let i = 0; i + 3 < ring.length; i += 2) {
        const [ax, ay, bx, by] = ring.subarray(i, i + 4);
        const key = ax < bx || (ax === bx && ay < by) ? `${ax} ${ay} ${bx} ${by}` : `${bx} ${by} ${ax} ${ay}`;
        const other = owners.get(key);
        if (other === undefined) owners.set(key, number);
        else
          found.push([
            other,
            number,
            Math.hypot((bx - ax) * metresPerDegreeEast(ay), (by - ay) * metresPerDegreeNorth(ay)),
          ]);
      }
  return found;
}

/** A ring in the requested direction. */
function turned(ring: Float64Array, isCounterClockwise: boolean): Float64Array {
  if (signedArea(ring) > 0 === isCounterClockwise) return ring;
  const out = new Float64Array(ring.length);
  for (let i = 0; i < ring.length; i += 2) {
    out[i] = ring[ring.length - 2 - i];
    out[i + 1] = ring[ring.length - 1 - i];
  }
  return out;
}

function isFaultless(parts: readonly DrawnPart[], polygons: readonly FlatPolygon[]): boolean {
  const wanted = polygons.reduce((sum, polygon) => sum + planarArea(polygon), 0);
  const drawn = parts.reduce((sum, { polygon }) => sum + planarArea(polygon), 0);
  return (
    Math.abs(drawn - wanted) <= ROUNDING * wanted &&
    parts.every(({ polygon, part }) => part !== FAR && findRingFault(polygon) === null)
  );
}

/** Square degrees, holes taken off. */
function planarArea(polygon: FlatPolygon): number {
  return polygon.reduce((sum, ring, i) => sum + Math.abs(signedArea(ring)) * (i === 0 ? 1 : -1), 0);
}

/** Square degrees, positive counter-clockwise. */
function signedArea(ring: Float64Array): number {
  const [x, y] = ring;
  let twice = 0;
  for (let i = 0; i + 3 < ring.length; i += 2)
    twice += (ring[i] - x) * (ring[i + 3] - y) - (ring[i + 2] - x) * (ring[i + 1] - y);
  return twice / 2;
}
