import { AREA, FEATURE_SCALE, POINT, type FeatureSet } from '../../../geo/features/feature-set.ts';
import type { Geometry, Position } from '../../../geo/geometry.ts';

/** A feature of a set as GeoJSON; a feature of one part as the plain kind. A ring that turns against the first of its polygon is a hole. */
export function featureGeometry(set: FeatureSet, id: number): Geometry {
  const parts: Position[][] = [];
  for (let part = set.features[id]; part < set.features[id + 1]; part++) parts.push(positionsOf(set, part));
  if (set.types[id] === POINT) {
    const points = parts.flat();
    return points.length === 1
      ? { type: 'Point', coordinates: points[0] }
      : { type: 'MultiPoint', coordinates: points };
  }
  if (set.types[id] !== AREA)
    return parts.length === 1
      ? { type: 'LineString', coordinates: parts[0] }
      : { type: 'MultiLineString', coordinates: parts };
  const polygons: Position[][][] = [];
  const outside = Math.sign(turn(parts[0]));
  for (const ring of parts) {
    if (polygons.length === 0 || Math.sign(turn(ring)) === outside) polygons.push([ring]);
    else polygons.at(-1)?.push(ring);
  }
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function positionsOf({ parts, xy }: FeatureSet, part: number): Position[] {
  const positions: Position[] = [];
  for (let vertex = parts[part]; vertex < parts[part + 1]; vertex++)
    positions.push([xy[2 * vertex] / FEATURE_SCALE, xy[2 * vertex + 1] / FEATURE_SCALE]);
  return positions;
}

/** Twice the area in square degrees, above 0 when the ring turns to the left. */
function turn(ring: readonly Position[]): number {
  const [x0, y0] = ring[0];
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++)
    sum += (ring[i][0] - x0) * (ring[i + 1][1] - y0) - (ring[i + 1][0] - x0) * (ring[i][1] - y0);
  return sum;
}
