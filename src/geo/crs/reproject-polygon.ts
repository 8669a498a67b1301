import type { Polygon, Position } from '../geometry.ts';
import type { Crs } from './find-crs.ts';
import { openProjection } from './open-projection.ts';

/** A tenth of a millimetre in degrees and in metres (feet are near enough). */
const DECIMALS = { degrees: 9, lengths: 4 } as const;

/** Degrees by which the way there and back may miss: a metre. A projection used far outside its reach misses by more. */
const RETURN_MISS = 1e-5;

/** No place of the earth has a larger coordinate in any unit in use; NaN is not smaller either. */
const FARTHEST = 1e9;

/**
 * A polygon in longitude, latitude on WGS84 taken to another CRS, vertex by vertex; x (easting) stays first and the
 * exterior stays counter-clockwise. Null when a vertex lies outside the reach of the projection.
 */
export function reprojectPolygon(polygon: Polygon, crs: Crs): Polygon | null {
  if (crs.code === 4326) return polygon;
  const projection = openProjection(crs);
  const unit = 10 ** (crs.definition.includes('+proj=longlat') ? DECIMALS.degrees : DECIMALS.lengths);
  const round = (value: number) => Math.round(value * unit) / unit;
  const place = new Float64Array(4);
  let reached = true;
  const rings = polygon.coordinates.map((ring) =>
    ring.map(([lon, lat], v): Position => {
      projection.toXY(lon, lat, place, 0);
      reached &&= Math.abs(place[0]) < FARTHEST && Math.abs(place[1]) < FARTHEST;
      if (v === 0 && reached) {
        projection.toLonLat(place[0], place[1], place, 2);
        const miss = place[2] - lon;
        reached = Math.hypot(miss - 360 * Math.round(miss / 360), place[3] - lat) <= RETURN_MISS;
      }
      return [round(place[0]), round(place[1])];
    }),
  );
  if (!reached) return null;
  return {
    type: 'Polygon',
    coordinates: isCounterClockwise(rings[0]) ? rings : rings.map((ring) => ring.toReversed()),
  };
}

function isCounterClockwise(ring: readonly Position[]): boolean {
  const [x0, y0] = ring[0];
  let twiceArea = 0;
  for (let i = 1; i < ring.length; i++) {
    twiceArea += (ring[i - 1][0] - x0) * (ring[i][1] - y0) - (ring[i][0] - x0) * (ring[i - 1][1] - y0);
  }
  return twiceArea > 0;
}
