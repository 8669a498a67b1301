import proj4 from 'proj4';
import type { Crs } from './find-crs.ts';
import type { Projection } from './projection.ts';
import { utmProjection, utmZoneOfEpsg } from './utm.ts';

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
