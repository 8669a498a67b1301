import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Units in a degree. */
export const COARSE_SCALE = 10_000;

export interface CoarseWater {
  /** Polygons, each an exterior ring and its holes, `[x, y, ...]` in ten-thousandths of a degree. */
  readonly lakes: readonly (readonly Int32Array[])[];
  readonly rivers: readonly Int32Array[];
}

/** Continents are drawn on a grid of about 1 km; the world, on one of 4 km, fills in what lies outside of them. */
const CONTINENTS = ['africa', 'asia', 'europe', 'north-america', 'south-america'];

type Arcs = readonly (readonly (readonly [number, number])[])[];
type Geometry =
  | { readonly type: 'LineString'; readonly arcs: readonly number[] }
  | { readonly type: 'Polygon' | 'MultiLineString'; readonly arcs: readonly (readonly number[])[] }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] };

interface Topology {
  readonly arcs: Arcs;
  readonly bbox: readonly [number, number, number, number];
  readonly transform: { readonly scale: readonly [number, number]; readonly translate: readonly [number, number] };
  readonly objects: Readonly<Record<'lakes' | 'rivers', { readonly geometries: readonly Geometry[] }>>;
}

/** Reads lakes and rivers of Natural Earth 1:50m from TopoJSON files, the finest drawing of each place first. */
export function readCoarseWater(folder: string): CoarseWater {
  const lakes: (readonly Int32Array[])[] = [];
  const rivers: Int32Array[] = [];
  const boxes: Topology['bbox'][] = [];
  for (const name of [...CONTINENTS, 'world']) {
    const topology = JSON.parse(readFileSync(join(folder, `${name}_50m.json`), 'utf8')) as Topology;
    const arcs = topology.arcs.map((arc) => unpackArc(arc, topology.transform));
    const isNew = (line: Int32Array): boolean => !boxes.some((box) => liesIn(line, box));
    for (const polygon of topology.objects.lakes.geometries.flatMap(polygonsOf)) {
      const rings = polygon.map((ring) => joinArcs(ring, arcs));
      if (isNew(rings[0])) lakes.push(rings);
    }
    for (const line of topology.objects.rivers.geometries.flatMap(linesOf).map((ring) => joinArcs(ring, arcs))) {
      if (isNew(line)) rivers.push(line);
    }
    boxes.push(topology.bbox);
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

function liesIn(line: Int32Array, [west, south, east, north]: Topology['bbox']): boolean {
  for (let i = 0; i < line.length; i += 2) {
    const lon = line[i] / COARSE_SCALE;
    const lat = line[i + 1] / COARSE_SCALE;
    if (lon < west || lon > east || lat < south || lat > north) return false;
  }
  return true;
}
