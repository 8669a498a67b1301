import { findCrs, type Projection } from '../geo/crs/find-crs.ts';
import { mapPositions, openProjection } from '../geo/crs/open-projection.ts';
import type { Geometry } from '../geo/geometry.ts';
import type { Bbox } from '../geo/shapes/shape.ts';
import type { WrittenBox } from './boxes.ts';

/** A coordinate system as OGC API - Features, Part 2 names it, with its axes in the order that its authority wants. */
export interface MapCrs {
  /** The address that stands for it. */
  readonly uri: string;
  /** Latitude, or northing, comes first. */
  readonly isNorthFirst: boolean;
  readonly projection: Projection;
  /** Longitude and latitude in degrees. */
  readonly isDegrees: boolean;
}

export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
const EPSG = 'http://www.opengis.net/def/crs/EPSG/0/';
const zones = (family: number): readonly number[] => Array.from({ length: 60 }, (_, i) => family + 1 + i);

/** Systems whose axis order is known for certain: of others it is not certain which number is the northing. */
const CODES: readonly number[] = [4326, 3857, ...zones(32_600), ...zones(32_700)];
export const MAP_CRS_URIS: readonly string[] = [CRS84, ...CODES.map((code) => `${EPSG}${code}`)];

/** Null for a system that is not among `MAP_CRS_URIS`, however it is written. */
export function findMapCrs(text: string): MapCrs | null {
  const crs = findCrs(text);
  if ('refused' in crs || !CODES.includes(crs.code)) return null;
  const isCrs84 = crs.name === 'OGC:CRS84';
  return {
    uri: isCrs84 ? CRS84 : `${EPSG}${crs.code}`,
    isNorthFirst: crs.code === 4326 && !isCrs84,
    projection: openProjection(crs),
    isDegrees: crs.code === 4326,
  };
}

/** A geometry of longitude, latitude in another system; a position outside the reach of the system gives null. */
export function toMapCrs(geometry: Geometry | null, { projection, isNorthFirst, isDegrees }: MapCrs): Geometry | null {
  if (geometry === null || (isDegrees && !isNorthFirst)) return geometry;
  const place = new Float64Array(2);
  let isWhole = true;
  const moved = mapPositions(geometry, ([lon, lat, ...rest]) => {
    projection.toXY(lon, lat, place, 0);
    isWhole &&= Number.isFinite(place[0]) && Number.isFinite(place[1]);
    return isNorthFirst ? [place[1], place[0], ...rest] : [place[0], place[1], ...rest];
  });
  return isWhole ? moved : null;
}

/** Points on each side of a box that is taken to degrees: its sides are curves there. */
const SIDE_POINTS = 20;

/** A box of a system in degrees, around all of it; null where the system does not reach, or it is no box. */
export function toDegrees(box: readonly number[], { projection, isNorthFirst, isDegrees }: MapCrs): WrittenBox | null {
  if (box.length !== 4 || !box.every(Number.isFinite)) return null;
  const [west, south, east, north] = isNorthFirst ? [box[1], box[0], box[3], box[2]] : box;
  if (isDegrees) return [west, south, east, north];
  if (west > east || south > north) return null;
  const out: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  const place = new Float64Array(2);
  for (let i = 0; i <= SIDE_POINTS; i++) {
    const [x, y] = [west + ((east - west) * i) / SIDE_POINTS, south + ((north - south) * i) / SIDE_POINTS];
    for (const [px, py] of [
      [x, south],
      [x, north],
      [west, y],
      [east, y],
    ]) {
      projection.toLonLat(px, py, place, 0);
      const [lon, lat] = place;
      if (!Number.isFinite(lon) || !Number.isFinite(lat)) return null;
      out[0] = Math.min(out[0], lon);
      out[1] = Math.min(out[1], lat);
      out[2] = Math.max(out[2], lon);
      out[3] = Math.max(out[3], lat);
    }
  }
  return withinWorld(out);
}

/** Longitudes that run on over the antimeridian brought back: west is over east then. */
function withinWorld([west, south, east, north]: Bbox): WrittenBox {
  if (east - west >= 360) return [-180, south, 180, north];
  const back = (lon: number): number => (lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon);
  return [back(west), south, back(east), north];
}
