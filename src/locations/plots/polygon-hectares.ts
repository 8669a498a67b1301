import type { Geometry } from '../../geo/geometry.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';

/** Geodesic hectares of the polygons of a geometry; what GEOS gives need not pass as valid to the last digit. */
export function polygonHectares(geometry: Geometry | null): number {
  if (geometry === null) return 0;
  if (geometry.type === 'GeometryCollection')
    return geometry.geometries.reduce((sum, member) => sum + polygonHectares(member), 0);
  if (geometry.type === 'Polygon')
    return (
      polygonArea(geometry.coordinates.map((ring) => Float64Array.from(ring.flatMap(([x, y]) => [x, y])))).area / 10_000
    );
  if (geometry.type === 'MultiPolygon')
    return geometry.coordinates.reduce(
      (sum, coordinates) => sum + polygonHectares({ type: 'Polygon', coordinates }),
      0,
    );
  return 0;
}
