import type { Geometry, Position } from '../geometry.ts';
import type { Crs } from './find-crs.ts';
import { openProjection } from './open-projection.ts';
import type { Projection } from './projection.ts';

/** Takes a geometry of one CRS to longitude and latitude on WGS84. */
export type ToLonLat = (geometry: Geometry) => Geometry;

/**
 * A function that takes geometries of a verified CRS (x, easting, first) to longitude, latitude on WGS84, vertex by
 * vertex; heights stay. A place outside the reach of the projection gives coordinates that are not finite.
 */
export function lonLatFrom(crs: Crs): ToLonLat {
  if (crs.code === 4326) return (geometry) => geometry;
  return lonLatBy(openProjection(crs));
}

/** The same with a projection at hand. */
export function lonLatBy(projection: Pick<Projection, 'toLonLat'>): ToLonLat {
  const place = new Float64Array(2);
  const position = ([x, y, ...rest]: Position): Position => {
    projection.toLonLat(x, y, place, 0);
    return [place[0], place[1], ...rest];
  };
  return (geometry) => mapPositions(geometry, position);
}

function mapPositions(geometry: Geometry, map: (position: Position) => Position): Geometry {
  if (geometry.type === 'GeometryCollection')
    return { type: geometry.type, geometries: geometry.geometries.map((member) => mapPositions(member, map)) };
  return { type: geometry.type, coordinates: mapNested(geometry.coordinates, map) } as Geometry;
}

function mapNested(coordinates: unknown, map: (position: Position) => Position): unknown {
  if (!Array.isArray(coordinates) || coordinates.length === 0) return coordinates;
  return typeof coordinates[0] === 'number'
    ? map(coordinates as Position)
    : coordinates.map((part) => mapNested(part, map));
}
