import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Units in a degree. */
export const COARSE_SCALE = 10_000;

interface CoarseWater {
  /** Polygons, each an exterior ring and its holes, `[x, y, ...]` in ten-thousandths of a degree. */
  readonly lakes: readonly (readonly Int32Array[])[];
  readonly rivers: readonly Int32Array[];
}

/** Continents are drawn on a grid of about 1 km; the world, on one of 4 km, fills in what they lack. */
const CONTINENTS = ['africa', 'asia', 'europe', 'north-america', 'south-america'];

type Arcs = readonly (readonly (readonly [number, number])[])[];
type Geometry =
  | { readonly type: 'LineString'; readonly arcs: readonly number[] }
  | { readonly type: 'Polygon' | 'MultiLineString'; readonly arcs: readonly (readonly number[])[] }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] };

interface Topology {
  readonly arcs: Arcs;
  readonly transform: { readonly scale: readonly [number, number]; readonly translate: readonly [number, number] };
  readonly objects: Readonly<Record<'lakes' | 'rivers', { readonly geometries: readonly Geometry[] }>>;
}

/** Reads lakes and rivers of Natural Earth 1:50m from TopoJSON files, each from the finest drawing that has it. */
export function readCoarseWater(folder: string): CoarseWater {
  const lakes: (readonly Int32Array[])[] = [];
  const rivers: Int32Array[] = [];
  const trodden = new Set<number>();
  for (const name of [...CONTINENTS, 'world']) {
    const topology = JSON.parse(readFileSync(join(folder, `${name}_50m.json`), 'utf8')) as Topology;
    const arcs = topology.arcs.map((arc) => unpackArc(arc, topology.transform));
    const newLakes = topology.objects.lakes.geometries
      .flatMap(polygonsOf)
      .map((polygon) => polygon.map((ring) => joinArcs(ring, arcs)))
      .filter(([exterior]) => !lakes.some(([known]) => isSameLake(known, exterior)));
    const newRivers = topology.objects.rivers.geometries
      .flatMap(linesOf)
      .map((line) => joinArcs(line, arcs))
      .filter((line) => !isTrodden(line, trodden));
    lakes.push(...newLakes);
    rivers.push(...newRivers);
    for (const line of newRivers) tread(line, trodden);
  }
  return { lakes, rivers };
}

function polygonsOf(geometry: Geometry): readonly (readonly (readonly number[])[])[] {
  if (geometry.type === 'Polygon') return [geometry.arcs];
  return geometry.type === 'MultiPolygon' ? geometry.arcs : [];
}

function linesOf(geometry: Geometry): readonly (readonly number[])[] {
  if (geometry.type === 'LineString') return [geometry.arcs];
  return geometry.type === 'MultiLineString' ? geometry.arcs : [];
}

/** An arc's vertices in our units; the file stores steps on its own grid. */
function unpackArc(arc: Arcs[number], { scale, translate }: Topology['transform']): Int32Array {
  const out = new Int32Array(arc.length * 2);
  let x = 0;
  let y = 0;
  arc.forEach(([dx, dy], i) => {
    x += dx;
    y += dy;
    out[i * 2] = Math.round((x * scale[0] + translate[0]) * COARSE_SCALE);
    out[i * 2 + 1] = Math.round((y * scale[1] + translate[1]) * COARSE_SCALE);
  });
  return out;
}

/** Arcs laid end to end; a number below 0 is the arc `~number` backwards, and the vertex two arcs share is kept once. */
function joinArcs(numbers: readonly number[], arcs: readonly Int32Array[]): Int32Array {
  const line: number[] = [];
  for (const number of numbers) {
    const arc = arcs[number < 0 ? ~number : number];
    for (let i = line.length === 0 ? 0 : 1; i < arc.length / 2; i++) {
      const at = (number < 0 ? arc.length / 2 - 1 - i : i) * 2;
      line.push(arc[at], arc[at + 1]);
    }
  }
  return Int32Array.from(line);
}

/** Two drawings of one lake cover the same ground but for their accuracy; compared by their boxes. */
function isSameLake(a: Int32Array, b: Int32Array): boolean {
  const [one, other] = [boxOf(a), boxOf(b)];
  const common = area(
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  );
  return common > 0.25 * Math.min(area(...one), area(...other));
}

function boxOf(ring: Int32Array): [number, number, number, number] {
  const box: [number, number, number, number] = [ring[0], ring[1], ring[0], ring[1]];
  for (let i = 2; i < ring.length; i += 2) {
    box[0] = Math.min(box[0], ring[i]);
    box[1] = Math.min(box[1], ring[i + 1]);
    box[2] = Math.max(box[2], ring[i]);
    box[3] = Math.max(box[3], ring[i + 1]);
  }
  return box;
}

function area(west: number, south: number, east: number, north: number): number {
  return Math.max(0, east - west) * Math.max(0, north - south);
}

/** Side of the cells in which a river leaves its trace: about 20 km. */
const CELL = COARSE_SCALE / 5;
const COLUMNS = 360 * 5 + 3;

/** Whether a river drawn before runs along most of a line. */
function isTrodden(line: Int32Array, trodden: ReadonlySet<number>): boolean {
  let known = 0;
  for (let i = 0; i < line.length; i += 2) if (trodden.has(cellOf(line[i], line[i + 1]))) known++;
  return known > line.length / 4;
}

/** Marks the cells along a line and those round them. */
function tread(line: Int32Array, trodden: Set<number>): void {
  for (let i = 0; i < line.length - 2; i += 2) {
    const steps = Math.ceil(Math.max(Math.abs(line[i + 2] - line[i]), Math.abs(line[i + 3] - line[i + 1])) / CELL) + 1;
    for (let step = 0; step <= steps; step++) {
      const x = line[i] + (step / steps) * (line[i + 2] - line[i]);
      const y = line[i + 1] + (step / steps) * (line[i + 3] - line[i + 1]);
      const cell = cellOf(x, y);
      for (let row = -1; row <= 1; row++)
        for (let column = -1; column <= 1; column++) trodden.add(cell + row * COLUMNS + column);
    }
  }
}

function cellOf(x: number, y: number): number {
  return Math.floor((y + 90 * COARSE_SCALE) / CELL) * COLUMNS + Math.floor((x + 180 * COARSE_SCALE) / CELL) + 1;
}
