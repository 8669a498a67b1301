import type { Geometry, Polygon } from '../../../geo/geometry.ts';

/** What a library of planar geometry computes; null where it cannot answer. Units are those of the coordinates given. */
export interface GeometryTools {
  intersection(a: Geometry, b: Geometry): Geometry | null;
  /** The part of `a` that is not in `b`. */
  difference(a: Geometry, b: Geometry): Geometry | null;
  makeValid(geometry: Geometry): Geometry | null;
  /** Triangles over the vertices of a valid polygon, none added, that cover it exactly: a collection of polygons. */
  triangulate(polygon: Polygon): Geometry | null;
}
