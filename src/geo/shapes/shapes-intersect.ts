import type { Geometry } from '../geometry.ts';
import { locateInPolygons, orientation } from '../rings/point-in-polygon.ts';
import { type Bbox, boxesTouch, boxRing, type Shape } from './shape.ts';

/** The parts of a shape that decide whether it meets another one. */
export type Ground = Pick<Shape, 'points' | 'lines' | 'polygons' | 'bbox'>;

/**
 * Lays out a GeoJSON geometry that was checked before, or never was: what has no usable numbers is left out, a polygon that
 * crosses itself is taken as it is. Null when nothing is left. Longitude, latitude in degrees.
 */
export function groundOfGeometry(geometry: Geometry): Ground | null {
  const points: number[] = [];
  const lines: Float64Array[] = [];
  const polygons: Float64Array[][] = [];
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  const flat = (positions: unknown): Float64Array => {
    const out: number[] = [];
    for (const [x, y] of positions as readonly (readonly number[])[]) {
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      out.push(x!, y!);
      box[0] = Math.min(box[0], x!);
      box[1] = Math.min(box[1], y!);
      box[2] = Math.max(box[2], x!);
      box[3] = Math.max(box[3], y!);
    }
    return Float64Array.from(out);
  };
  const addPolygon = (rings: readonly unknown[]): void => {
    const laid = rings.map(flat).filter((ring) => ring.length >= 8);
    if (laid.length > 0) polygons.push(laid);
  };
  const add = (part: Geometry): void => {
    if (part.type === 'GeometryCollection') return part.geometries.forEach(add);
    const { coordinates } = part as { readonly coordinates: readonly unknown[] };
    if (part.type === 'Point') points.push(...flat([coordinates]));
    else if (part.type === 'MultiPoint') points.push(...flat(coordinates));
    else if (part.type === 'LineString') lines.push(flat(coordinates));
    else if (part.type === 'MultiLineString') lines.push(...coordinates.map(flat));
    else if (part.type === 'Polygon') addPolygon(coordinates);
    else for (const rings of coordinates) addPolygon(rings as readonly unknown[]);
  };
  add(geometry);
  return box[0] > box[2] ? null : { points: Float64Array.from(points), lines, polygons, bbox: box };
}

/** A box as ground. */
export function groundOfBox(box: Bbox): Ground {
  return { points: new Float64Array(), lines: [], polygons: [[boxRing(box)]], bbox: box };
}

/**
 * Whether two grounds share a place: planar in longitude and latitude, the boundary belongs to each. Exact, and by comparing
 * edges with edges: meant for a feature and a box or another drawn shape, not for two coasts.
 */
export function shapesIntersect(a: Ground, b: Ground): boolean {
  if (!boxesTouch(a.bbox, b.bbox)) return false;
  return touchesWithPlaces(a, b) || touchesWithPlaces(b, a) || edgesMeet(a, b);
}

/** Whether a point of `a`, or the beginning of one of its lines or rings, lies on or in `b`. */
function touchesWithPlaces(a: Ground, b: Ground): boolean {
  for (let i = 0; i < a.points.length; i += 2) if (holds(b, a.points[i], a.points[i + 1])) return true;
  for (const line of pathsOf(a)) if (line.length > 0 && holds(b, line[0], line[1])) return true;
  return false;
}

function holds({ points, lines, polygons, bbox }: Ground, x: number, y: number): boolean {
  if (x < bbox[0] || x > bbox[2] || y < bbox[1] || y > bbox[3]) return false;
  if (polygons.some((rings) => locateInPolygons([rings], x, y) !== 'outside')) return true;
  for (let i = 0; i < points.length; i += 2) if (points[i] === x && points[i + 1] === y) return true;
  return lines.some((line) => {
    for (let i = 0; i + 3 < line.length; i += 2)
      if (isOnEdge(line[i], line[i + 1], line[i + 2], line[i + 3], x, y)) return true;
    return false;
  });
}

function pathsOf({ lines, polygons }: Ground): readonly Float64Array[] {
  return [...lines, ...polygons.flat()];
}

function edgesMeet(a: Ground, b: Ground): boolean {
  const mine = edgesIn(a, b.bbox);
  const theirs = edgesIn(b, a.bbox);
  for (let i = 0; i < mine.length; i += 4) {
    const [ax, ay, bx, by] = [mine[i], mine[i + 1], mine[i + 2], mine[i + 3]];
    for (let j = 0; j < theirs.length; j += 4)
      if (meet(ax, ay, bx, by, theirs[j], theirs[j + 1], theirs[j + 2], theirs[j + 3])) return true;
  }
  return false;
}

/** The edges whose box touches a box, four numbers each. */
function edgesIn(ground: Ground, [west, south, east, north]: Bbox): readonly number[] {
  const edges: number[] = [];
  for (const path of pathsOf(ground))
    for (let i = 0; i + 3 < path.length; i += 2) {
      const [ax, ay, bx, by] = [path[i], path[i + 1], path[i + 2], path[i + 3]];
      const apart =
        (ax < west && bx < west) ||
        (ax > east && bx > east) ||
        (ay < south && by < south) ||
        (ay > north && by > north);
      if (!apart) edges.push(ax, ay, bx, by);
    }
  return edges;
}

function meet(ax: number, ay: number, bx: number, by: number, cx: number, cy: number, dx: number, dy: number): boolean {
  const apart =
    Math.max(ax, bx) < Math.min(cx, dx) ||
    Math.max(cx, dx) < Math.min(ax, bx) ||
    Math.max(ay, by) < Math.min(cy, dy) ||
    Math.max(cy, dy) < Math.min(ay, by);
  if (apart) return false;
  const c = orientation(ax, ay, bx, by, cx, cy);
  const d = orientation(ax, ay, bx, by, dx, dy);
  if (c * d > 0) return false;
  return orientation(cx, cy, dx, dy, ax, ay) * orientation(cx, cy, dx, dy, bx, by) <= 0;
}

function isOnEdge(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  if (x < Math.min(ax, bx) || x > Math.max(ax, bx) || y < Math.min(ay, by) || y > Math.max(ay, by)) return false;
  return orientation(ax, ay, bx, by, x, y) === 0;
}
