/** Longitude and latitude in degrees, WGS84. */
export type LonLat = readonly [lon: number, lat: number];

/** West, south, east, north in degrees; west > east never occurs (a shape over the antimeridian spans it whole). */
export type Bbox = readonly [west: number, south: number, east: number, north: number];

export const WORLD: Bbox = [-180, -90, 180, 90];

/**
 * A valid geometry laid out for distance work. Coordinates are longitude, latitude pairs in degrees on WGS84, flat:
 * `[lon0, lat0, lon1, lat1, ...]`. Rings are closed. A geometry of mixed type fills more than one of the three lists.
 */
export interface Shape {
  /** Single points. */
  readonly points: Float64Array;
  /** Open or closed lines. */
  readonly lines: readonly Float64Array[];
  /** Polygons, each an exterior ring and its holes. */
  readonly polygons: readonly (readonly Float64Array[])[];
  readonly bbox: Bbox;
  /** A point of the shape: the point itself, a vertex of a line, or a point inside the largest polygon. */
  readonly inside: LonLat;
}
