import { locateInPolygons, pointInPolygon } from '../../geo/rings/point-in-polygon.ts';
import { DataOutline } from '../packs/answers/data-outline.ts';
import { boxOf } from '../../geo/shapes/shape.ts';
import type { Coverage } from '../catalogue/dataset.ts';

/** Degrees of a cell of the footprint: 700 m of latitude. */
export const FOOTPRINT_CELL = 0.006_25;
/** Steps along a parcel, however large. */
const MOST_STEPS = 2_000;

/** An outline in which every parcel counts, and gaps of up to two cells between parcels are closed. */
export function parcelOutline(): DataOutline {
  return new DataOutline({ cell: FOOTPRINT_CELL, least: 1, reach: 1, leastShare: 0 });
}

/** Adds the ground of a parcel to an outline: its boundary, and what lies inside, in steps of half a cell. */
export function addToOutline(outline: DataOutline, polygons: readonly (readonly Float64Array[])[]): void {
  for (const rings of polygons) {
    const [west, south, east, north] = boxOf([rings]);
    const widest = Math.max(east - west, north - south);
    const step = Math.max(FOOTPRINT_CELL / 2, widest / MOST_STEPS);
    addRing(outline, rings[0], step);
    if (widest < step) continue;
    for (let lat = south + step / 2; lat < north; lat += step)
      for (let lon = west + step / 2; lon < east; lon += step)
        if (pointInPolygon(rings, lon, lat)) outline.add(lon, lat);
  }
}

function addRing(outline: DataOutline, ring: Float64Array, step: number): void {
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [dx, dy] = [ring[i + 2] - ring[i], ring[i + 3] - ring[i + 1]];
    const parts = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / step));
    for (let part = 0; part < parts; part++)
      outline.add(ring[i] + (dx * part) / parts, ring[i + 1] + (dy * part) / parts);
  }
}

/** Says whether a place in degrees lies in a footprint, its edge included: a parcel may end there. */
export function footprintHolds(coverage: Coverage): (lon: number, lat: number) => boolean {
  if ('polygons' in coverage) return (lon, lat) => locateInPolygons(coverage.polygons, lon, lat) !== 'outside';
  const [west, south, east, north] = coverage.bbox;
  return (lon, lat) => lon >= west && lon <= east && lat >= south && lat <= north;
}
