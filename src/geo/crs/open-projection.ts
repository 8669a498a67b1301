import proj4 from 'proj4';
import type { Crs, Projection } from './find-crs.ts';
import { utmProjection, utmZoneOfEpsg } from './utm.ts';
import type { Geometry, Position } from '../geometry.ts';

/**
 * The projection of a verified CRS, between longitude, latitude on WGS84 and its x (easting), y (northing), in its own unit.
 * EPSG:4326 copies, UTM on WGS84 has its own fast series, everything else goes through proj4. A place outside the reach
 * of a projection gives numbers that are not finite.
 */
export function openProjection(crs: Crs): Projection {
  if (crs.code === 4326) return { toXY: copy, toLonLat: copy };
  const utm = utmZoneOfEpsg(crs.code);
  if (utm) return utmProjection(utm.zone, utm.north);
  const converter = proj4('EPSG:4326', crs.definition);
  return {
    toXY: (lon, lat, out, at) => write(converter.forward([lon, lat]), out, at),
    toLonLat: (x, y, out, at) => write(converter.inverse([x, y]), out, at),
  };
}

function copy(x: number, y: number, out: Float64Array, at: number): void {
  out[at] = x;
  out[at + 1] = y;
}

function write(place: readonly number[], out: Float64Array, at: number): void {
  out[at] = place[0];
  out[at + 1] = place[1];
}

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

/** A geometry with each of its positions replaced. */
export function mapPositions(geometry: Geometry, map: (position: Position) => Position): Geometry {
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
