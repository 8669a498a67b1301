import { geodesicDistanceM } from '../ellipsoid.ts';
import { nearestOnSegment, type NearestPoint } from '../rings/nearest-on-segment.ts';
import { pointInPolygon } from '../rings/point-in-polygon.ts';
import type { Shape } from './shape.ts';

const spot: NearestPoint = { lon: 0, lat: 0 };
const best: NearestPoint = { lon: 0, lat: 0 };

/**
 * Geodesic metres on WGS84 from a point to the nearest part of a shape, 0 when it lies in one of its polygons; `Infinity` when it is clearly
 * more than `withinM`. The part measured to is nearest to within 0.1 % or 1 m, up to 100 km.
 */
export function distanceToShapeM(shape: Shape, lon: number, lat: number, withinM: number): number {
  const flat2 = flatDistance2(shape, lon, lat, withinM);
  return flat2 === 0 || flat2 === Infinity ? flat2 : geodesicDistanceM(lon, lat, best.lon, best.lat);
}

/** How far the flat metric may be off, as a part of a distance: nearly with the square of the distance (see `nearDistance2`). */
const FLAT_ERROR = { near: 5e-5, nearM: 10_000, far: 1e-3 };

/**
 * Whether `distanceToShapeM` is at most `withinM`, always the same answer. The geodesic, which takes thirty times as long as
 * all the rest, is measured only where the flat metric leaves a doubt.
 */
export function isWithinM(shape: Shape, lon: number, lat: number, withinM: number): boolean {
  const flat = Math.sqrt(flatDistance2(shape, lon, lat, withinM));
  const doubt = withinM * (withinM <= FLAT_ERROR.nearM ? FLAT_ERROR.near : FLAT_ERROR.far);
  if (flat <= withinM - doubt) return true;
  if (flat > withinM + doubt) return false;
  return geodesicDistanceM(lon, lat, best.lon, best.lat) <= withinM;
}

/** Square of the metres to the nearest part in the flat metric, which is left in `best`; 0 inside a polygon, `Infinity` far off. */
function flatDistance2(shape: Shape, lon: number, lat: number, withinM: number): number {
  for (const polygon of shape.polygons) if (pointInPolygon(polygon, lon, lat)) return 0;
  const limit2 = withinM * withinM * 1.002 + 1;
  let best2 = limit2;
  const offer = (d2: number): void => {
    if (d2 >= best2) return;
    best2 = d2;
    best.lon = spot.lon;
    best.lat = spot.lat;
  };
  const { points } = shape;
  for (let i = 0; i < points.length; i += 2) {
    offer(nearestOnSegment(lon, lat, points[i], points[i + 1], points[i], points[i + 1], withinM, spot));
  }
  const along = (line: Float64Array): void => {
    for (let i = 0; i < line.length - 2; i += 2)
      offer(nearestOnSegment(lon, lat, line[i], line[i + 1], line[i + 2], line[i + 3], withinM, spot));
  };
  for (const line of shape.lines) along(line);
  for (const polygon of shape.polygons) for (const ring of polygon) along(ring);
  return best2 < limit2 ? best2 : Infinity;
}
