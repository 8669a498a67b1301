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

/** The box around polygons, each its outer ring first. */
export function boxOf(polygons: readonly (readonly Float64Array[])[]): Bbox {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [ring] of polygons)
    for (let i = 0; i < ring.length; i += 2) {
      box[0] = Math.min(box[0], ring[i]);
      box[1] = Math.min(box[1], ring[i + 1]);
      box[2] = Math.max(box[2], ring[i]);
      box[3] = Math.max(box[3], ring[i + 1]);
    }
  return box;
}

/** Whether two boxes overlap or share a side or a corner. */
export function boxesTouch(a: Bbox, b: Bbox): boolean {
  return a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];
}

/** A single point as a shape. */
export function pointShape(lon: number, lat: number): Shape {
  return { points: Float64Array.of(lon, lat), lines: [], polygons: [], bbox: [lon, lat, lon, lat], inside: [lon, lat] };
}

/** The closed ring around a box, counterclockwise from its south-west corner. */
export function boxRing([west, south, east, north]: Bbox): Float64Array {
  return Float64Array.of(west, south, east, south, east, north, west, north, west, south);
}
