import { polygonArea } from '../geo/rings/polygon-area.ts';
import type { Shape } from '../geo/shapes/shape.ts';
import { type GeometryFault, toShape } from '../geo/shapes/to-shape.ts';
import type { Geometry } from '../geo/geometry.ts';

/** What is known of a usable geometry, or why it is not usable. */
export type Measured =
  | {
      readonly shape: Shape;
      readonly kind: 'point' | 'line' | 'polygon';
      /** Hectares of its polygons, holes taken off; null without polygons. */
      readonly areaHa: number | null;
      /** Members of a collection that could not be used. */
      readonly ignored: readonly GeometryFault[];
    }
  | { readonly shape: null; readonly fault: GeometryFault };

export function measureGeometry(geometry: unknown): Measured {
  const result = toShape(geometry);
  if (result.shape === null) return result;
  const { shape, ignored } = result;
  const kind = shape.polygons.length > 0 ? 'polygon' : shape.lines.length > 0 ? 'line' : 'point';
  const areaHa =
    kind === 'polygon' ? shape.polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) / 10_000 : null;
  return { shape, kind, areaHa, ignored };
}

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
