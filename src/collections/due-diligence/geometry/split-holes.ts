import type { Geometry } from '../../../geo/geometry.ts';
import type { GeometryTools } from './geometry-tools.ts';
import { flat, STEPS, toSteps, type GridRing } from './snap-rings.ts';

/**
 * Cuts a valid polygon with holes into polygons without, along lines between its own vertices: nothing is added, so that the
 * parts cover exactly the polygon, share no ground and stay on the grid. One hole gives two parts above and below it,
 * where its shape allows; every part is a simple ring, counter-clockwise. Null when it cannot be cut.
 *
 * The polygon is triangulated; triangles above and below a line through the holes grow into parts as long as the
 * outline of a part meets no vertex twice; parts that have one side in common and nothing else are then joined.
 */
export function splitHoles(rings: readonly GridRing[], tools: Pick<GeometryTools, 'triangulate'>): GridRing[] | null {
  const triangles = triangulate(rings, tools);
  if (triangles === null) return null;
  const { at, corners } = triangles;
  const isAbove = sideOf(rings);
  const sides = corners.map((triangle) => {
    const [lon, lat] = [0, 1].map((axis) => triangle.reduce((sum, v) => sum + at[v][axis], 0) / 3);
    return isAbove(lon, lat);
  });
  const parts = joinParts(growParts(corners, sides));
  const out = parts.map((part): GridRing => {
    const ring = part.map((v) => [at[v][0] / STEPS, at[v][1] / STEPS] as const);
    return [...ring, ring[0]];
  });
  return Math.abs(area(rings) - out.reduce((sum, ring) => sum + area([ring]), 0)) <= 1e-9 * area(rings) ? out : null;
}

interface Triangles {
  /** Vertices in steps of the grid. */
  readonly at: readonly (readonly [number, number])[];
  /** Numbers of vertices, counter-clockwise. */
  readonly corners: readonly (readonly [number, number, number])[];
}

function triangulate(rings: readonly GridRing[], tools: Pick<GeometryTools, 'triangulate'>): Triangles | null {
  const coordinates = rings.map((ring) => ring.map(([lon, lat]) => [toSteps(lon), toSteps(lat)]));
  const found = tools.triangulate({ type: 'Polygon', coordinates });
  if (found === null) return null;
  const at: (readonly [number, number])[] = [];
  const numbers = new Map<string, number>();
  const corners: [number, number, number][] = [];
  for (const triangle of polygonsOf(found)) {
    const [a, b, c] = triangle.slice(0, 3).map(([x, y]) => {
      const key = `${x} ${y}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, at.length);
      return at.push([x, y]) - 1;
    });
    const turn = (at[b][0] - at[a][0]) * (at[c][1] - at[a][1]) - (at[c][0] - at[a][0]) * (at[b][1] - at[a][1]);
    if (turn !== 0) corners.push(turn > 0 ? [a, b, c] : [a, c, b]);
  }
  return { at, corners };
}

function polygonsOf(geometry: Geometry): (readonly (readonly number[])[])[] {
  if (geometry.type === 'Polygon') return [geometry.coordinates[0]];
  if (geometry.type === 'MultiPolygon') return geometry.coordinates.map(([ring]) => ring);
  return geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(polygonsOf) : [];
}

/** Whether a place (in steps) is above the line that runs level from the west to the first hole, through all, and on to the east. */
function sideOf([, ...holes]: readonly GridRing[]): (lon: number, lat: number) => boolean {
  const middles = holes
    .map((ring) => [0, 1].map((axis) => ring.reduce((sum, at) => sum + at[axis], 0) / ring.length) as [number, number])
    .toSorted(([a], [b]) => a - b);
  return (x, y) => {
    const [lon, lat] = [x / STEPS, y / STEPS];
    const after = middles.findIndex(([x]) => x > lon);
    const [left, right] = [middles.at(after <= 0 ? after : after - 1)!, middles.at(after)!];
    const share = right[0] === left[0] ? 0 : (lon - left[0]) / (right[0] - left[0]);
    return lat > left[1] + share * (right[1] - left[1]);
  };
}

type Part = readonly number[];

/** Grows parts from triangle to triangle of the same side, in the order of the triangles. */
function growParts(corners: Triangles['corners'], sides: readonly boolean[]): Part[] {
  const triangleOf = new Map<string, number>();
  for (const [t, [a, b, c]] of corners.entries())
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ])
      triangleOf.set(`${from} ${to}`, t);
  const taken = new Uint8Array(corners.length);
  const parts: Part[] = [];
  for (const [start, [a, b, c]] of corners.entries()) {
    if (taken[start] === 1) continue;
    taken[start] = 1;
    const next = new Map([
      [a, b],
      [b, c],
      [c, a],
    ]);
    const edges: (readonly [number, number])[] = [
      [a, b],
      [b, c],
      [c, a],
    ];
    for (let edge = edges.pop(); edge !== undefined; edge = edges.pop()) {
      const [from, to] = edge;
      const t = triangleOf.get(`${to} ${from}`);
      if (t === undefined || taken[t] === 1 || sides[t] !== sides[start]) continue;
      const apex = corners[t].find((v) => v !== from && v !== to)!;
      if (next.has(apex)) continue;
      taken[t] = 1;
      next.set(from, apex).set(apex, to);
      edges.push([from, apex], [apex, to]);
    }
    parts.push(walk(next));
  }
  return parts;
}

function walk(next: ReadonlyMap<number, number>): number[] {
  const [start] = next.keys();
  const out = [start];
  for (let v = next.get(start)!; v !== start; v = next.get(v)!) out.push(v);
  return out;
}

/** Joins neighbours that have exactly two vertices in common, a side, until there are none; the smallest parts first. */
function joinParts(grown: readonly Part[]): Part[] {
  let parts = grown.toSorted((a, b) => a.length - b.length);
  for (let joined = true; joined;) {
    joined = false;
    for (const [i, small] of parts.entries()) {
      const own = new Set(small);
      const j = parts.findIndex((other, k) => k !== i && isNeighbour(own, small, other));
      if (j < 0) continue;
      const merged = join(small, parts[j]);
      parts = [...parts.filter((_, k) => k !== i && k !== j), merged];
      joined = true;
      break;
    }
  }
  return parts;
}

function isNeighbour(own: ReadonlySet<number>, small: Part, other: Part): boolean {
  const common = other.filter((v) => own.has(v));
  return common.length === 2 && sharedSide(small, other, common) !== null;
}

/** Vertex of `small` a common side starts at, in its direction; null when the two vertices are no side of both. */
function sharedSide(small: Part, other: Part, [a, b]: readonly number[]): number | null {
  const follows = (ring: Part, from: number, to: number): boolean =>
    ring[(ring.indexOf(from) + 1) % ring.length] === to;
  if (follows(small, a, b) && follows(other, b, a)) return a;
  return follows(small, b, a) && follows(other, a, b) ? b : null;
}

function join(small: Part, other: Part): Part {
  const own = new Set(small);
  const common = other.filter((v) => own.has(v));
  const from = sharedSide(small, other, common)!;
  const to = common.find((v) => v !== from)!;
  // Around the small part from `to` to `from`, then around the other one back to `to`.
  return [...startingAt(small, to), ...startingAt(other, from).slice(1, -1)];
}

/** The ring as a list that begins at a vertex. */
function startingAt(ring: Part, vertex: number): Part {
  const at = ring.indexOf(vertex);
  return [...ring.slice(at), ...ring.slice(0, at)];
}

/** Planar area in degrees squared, holes taken off; measured from the first vertex, so that small rings keep their digits. */
export function area(rings: readonly GridRing[]): number {
  return rings.reduce((rest, ring, i) => {
    const values = flat(ring).map(toSteps);
    const [x, y] = values;
    let twice = 0;
    for (let v = 0; v + 3 < values.length; v += 2)
      twice += (values[v] - x) * (values[v + 3] - y) - (values[v + 2] - x) * (values[v + 1] - y);
    const size = Math.abs(twice) / 2 / (STEPS * STEPS);
    return i === 0 ? size : rest - size;
  }, 0);
}
