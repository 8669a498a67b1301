import { geodesicDistanceM } from '../ellipsoid.ts';
import { nearestOnSegment, type NearestPoint } from '../rings/nearest-on-segment.ts';
import { pointInPolygon } from '../rings/point-in-polygon.ts';
import { longitudeGap, reachAround, windowsAround } from '../shapes/reach.ts';
import type { Bbox, Shape } from '../shapes/shape.ts';
import { AREA, FEATURE_SCALE, type FeatureSet } from './feature-set.ts';
import type { Probe } from './probe.ts';

/** Sides of a shape that are looked at together, in one box. */
const RUN = 16;

/** Some sides of a shape: vertices in degrees, and the box around them. A single point is a run of one vertex. */
interface Run {
  readonly line: Float64Array;
  readonly box: Bbox;
}

/**
 * Measures from lines, polygons and several points: every side of the shape against every side of a feature, leaving out runs of sides
 * whose boxes are too far apart. Distances are right to 0.03 % or better; see `nearestOnSegment`.
 */
export function createShapeProbe(shape: Shape): Probe {
  const runs = runsOf(shape);
  const feature = { line: new Float64Array(64), box: [0, 0, 0, 0] as [number, number, number, number] };
  const probe: Probe = {
    box: shape.bbox,
    frame: null,
    windows: (withinM) => windowsAround(shape.bbox, withinM),
    rankM: (set, id, bestM) => probe.distanceM(set, id, bestM),
    distanceM(set, id, withinM, bestM = withinM) {
      const limitM = Math.min(withinM, bestM);
      const { features } = set;
      if (isInside(shape, set, id)) return 0;
      const nearest = { d2: limitM * limitM * 1.002 + 1, fromLon: 0, fromLat: 0, toLon: 0, toLat: 0, found: false };
      for (let part = features[id]; part < features[id + 1]; part++) {
        const line = lay(set, part, feature);
        for (const run of runs) {
          if (!mayBeNearer(run.box, feature.box, Math.sqrt(nearest.d2))) continue;
          measure(run.line, line, limitM, nearest);
          if (nearest.d2 === 0) return 0;
        }
      }
      if (!nearest.found) return Infinity;
      return geodesicDistanceM(nearest.fromLon, nearest.fromLat, nearest.toLon, nearest.toLat);
    },
  };
  return probe;
}

interface Nearest {
  d2: number;
  fromLon: number;
  fromLat: number;
  toLon: number;
  toLat: number;
  found: boolean;
}

const spot: NearestPoint = { lon: 0, lat: 0 };

function measure(a: Float64Array, b: Float64Array, withinM: number, out: Nearest): void {
  if (cross(a, b)) {
    out.d2 = 0;
    return;
  }
  vertices(a, b, withinM, out);
  vertices(b, a, withinM, out);
}

/** Every vertex of one line against every side of the other. */
function vertices(from: Float64Array, to: Float64Array, withinM: number, out: Nearest): void {
  const last = Math.max(2, to.length - 2);
  for (let i = 0; i < from.length; i += 2) {
    for (let j = 0; j < last; j += 2) {
      const end = to.length === 2 ? 0 : j + 2;
      const d2 = nearestOnSegment(from[i], from[i + 1], to[j], to[j + 1], to[end], to[end + 1], withinM, spot);
      if (d2 >= out.d2) continue;
      out.d2 = d2;
      out.fromLon = from[i];
      out.fromLat = from[i + 1];
      out.toLon = spot.lon;
      out.toLat = spot.lat;
      out.found = true;
    }
  }
}

function cross(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i + 3 < a.length; i += 2)
    for (let j = 0; j + 3 < b.length; j += 2)
      if (
        side(a, i, b[j], b[j + 1]) !== side(a, i, b[j + 2], b[j + 3]) &&
        side(b, j, a[i], a[i + 1]) !== side(b, j, a[i + 2], a[i + 3])
      )
        return true;
  return false;
}

function side(line: Float64Array, i: number, x: number, y: number): boolean {
  return (line[i + 2] - line[i]) * (y - line[i + 1]) - (line[i + 3] - line[i + 1]) * (x - line[i]) > 0;
}

/** Whether the feature begins inside a polygon of the shape, or the shape inside the feature's area. */
function isInside(shape: Shape, set: FeatureSet, id: number): boolean {
  const { features, parts, xy } = set;
  for (let part = features[id]; part < features[id + 1]; part++) {
    const v = parts[part] * 2;
    const lon = xy[v] / FEATURE_SCALE;
    const lat = xy[v + 1] / FEATURE_SCALE;
    for (const polygon of shape.polygons) if (pointInPolygon(polygon, lon, lat)) return true;
  }
  if (set.types[id] !== AREA) return false;
  for (let i = 0; i < shape.points.length; i += 2)
    if (areaHolds(set, id, shape.points[i], shape.points[i + 1])) return true;
  for (const line of shape.lines) if (areaHolds(set, id, line[0], line[1])) return true;
  return shape.polygons.some(([exterior]) => areaHolds(set, id, exterior[0], exterior[1]));
}

function areaHolds({ features, parts, xy }: FeatureSet, id: number, lon: number, lat: number): boolean {
  const x = lon * FEATURE_SCALE;
  const y = lat * FEATURE_SCALE;
  let inside = false;
  for (let part = features[id]; part < features[id + 1]; part++) {
    for (let i = parts[part] * 2; i < parts[part + 1] * 2 - 2; i += 2) {
      if (xy[i + 1] > y === xy[i + 3] > y) continue;
      if (x < ((xy[i + 2] - xy[i]) * (y - xy[i + 1])) / (xy[i + 3] - xy[i + 1]) + xy[i]) inside = !inside;
    }
  }
  return inside;
}

/** One part of a feature in degrees, with its box; the array is used again by the next call. */
function lay(
  { parts, xy }: FeatureSet,
  part: number,
  out: { line: Float64Array; box: [number, number, number, number] },
): Float64Array {
  const first = parts[part] * 2;
  const length = parts[part + 1] * 2 - first;
  if (out.line.length < length) out.line = new Float64Array(length * 2);
  const { line, box } = out;
  box[0] = box[1] = Infinity;
  box[2] = box[3] = -Infinity;
  for (let i = 0; i < length; i += 2) {
    const lon = (line[i] = xy[first + i] / FEATURE_SCALE);
    const lat = (line[i + 1] = xy[first + i + 1] / FEATURE_SCALE);
    if (lon < box[0]) box[0] = lon;
    if (lon > box[2]) box[2] = lon;
    if (lat < box[1]) box[1] = lat;
    if (lat > box[3]) box[3] = lat;
  }
  return line.subarray(0, length);
}

function mayBeNearer(a: Bbox, b: Bbox, withinM: number): boolean {
  const reach = reachAround(a[1], a[3], withinM);
  if (b[1] > a[3] + reach.latitudes || b[3] < a[1] - reach.latitudes) return false;
  return longitudeGap(a[0], a[2], b[0], b[2]) <= reach.longitudes;
}

function runsOf({ points, lines, polygons }: Shape): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < points.length; i += 2) runs.push(runOf(points.subarray(i, i + 2)));
  for (const line of [...lines, ...polygons.flat()])
    for (let i = 0; i < line.length - 2; i += RUN * 2) runs.push(runOf(line.subarray(i, i + RUN * 2 + 2)));
  return runs;
}

function runOf(line: Float64Array): Run {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < line.length; i += 2) {
    box[0] = Math.min(box[0], line[i]);
    box[1] = Math.min(box[1], line[i + 1]);
    box[2] = Math.max(box[2], line[i]);
    box[3] = Math.max(box[3], line[i + 1]);
  }
  return { line, box };
}
