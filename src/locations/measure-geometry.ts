import { polygonArea } from '../geo/rings/polygon-area.ts';
import { isWithinM } from '../geo/shapes/distance-to-shape.ts';
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
      /** Points and lines that lie outside of its polygons; points alone and lines alone are not counted. */
      readonly apart: number;
    }
  | { readonly shape: null; readonly fault: GeometryFault };

export function measureGeometry(geometry: unknown): Measured {
  const result = toShape(geometry);
  if (result.shape === null) return result;
  const { shape, ignored } = result;
  const kind = shape.polygons.length > 0 ? 'polygon' : shape.lines.length > 0 ? 'line' : 'point';
  const areaHa =
    kind === 'polygon' ? shape.polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) / 10_000 : null;
  return { shape, kind, areaHa, ignored, apart: kind === 'polygon' ? countApart(shape) : 0 };
}

/** Outlines often come with a point that holds their label, or drawn as a line once more. */
const LABEL_WITHIN_M = 1;

function countApart({ points, lines, ...rest }: Shape): number {
  const outlines = { ...rest, points: new Float64Array(0), lines: [] };
  const isApart = (values: Float64Array): boolean => {
    for (let i = 0; i < values.length; i += 2)
      if (!isWithinM(outlines, values[i]!, values[i + 1]!, LABEL_WITHIN_M)) return true;
    return false;
  };
  let count = lines.filter(isApart).length;
  for (let i = 0; i < points.length; i += 2) if (isApart(points.subarray(i, i + 2))) count++;
  return count;
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
