import { locateInPolygons } from '../../geo/rings/point-in-polygon.ts';
import type { Coverage } from '../catalogue/dataset.ts';

/** Says whether a place in degrees lies in a footprint, its edge included: a parcel may end there. */
export function footprintHolds(coverage: Coverage): (lon: number, lat: number) => boolean {
  if ('polygons' in coverage) return (lon, lat) => locateInPolygons(coverage.polygons, lon, lat) !== 'outside';
  const [west, south, east, north] = coverage.bbox;
  return (lon, lat) => lon >= west && lon <= east && lat >= south && lat <= north;
}
