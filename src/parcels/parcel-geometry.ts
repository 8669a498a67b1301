import type { Crs } from '../geo/crs/find-crs.ts';
import { reprojectPolygon } from '../geo/crs/reproject-polygon.ts';
import type { MultiPolygon, Polygon, Position } from '../geo/geometry.ts';
import type { Parcel } from './parcel.ts';

/**
 * A parcel as GeoJSON in a CRS, exterior rings counter-clockwise and holes clockwise (RFC 7946): a Polygon, or a
 * MultiPolygon when it has several parts. In EPSG:4326 the coordinates are those of the source to the last bit. Null where
 * the CRS does not reach the parcel.
 */
export function parcelGeometry({ polygons }: Pick<Parcel, 'polygons'>, crs: Crs): Polygon | MultiPolygon | null {
  const projected: Polygon[] = [];
  for (const rings of polygons) {
    const polygon = reprojectPolygon(toPolygon(rings), crs);
    if (polygon === null) return null;
    projected.push(polygon);
  }
  if (projected.length === 1) return projected[0];
  return { type: 'MultiPolygon', coordinates: projected.map(({ coordinates }) => coordinates) };
}

function toPolygon(rings: readonly Float64Array[]): Polygon {
  return { type: 'Polygon', coordinates: rings.map((ring, r) => positions(ring, r === 0)) };
}

function positions(ring: Float64Array, counterClockwise: boolean): Position[] {
  const out: Position[] = Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);
  return isCounterClockwise(ring) === counterClockwise ? out : out.toReversed();
}

function isCounterClockwise(ring: Float64Array): boolean {
  const [x, y] = ring;
  let twice = 0;
  for (let i = 0; i + 3 < ring.length; i += 2)
    twice += (ring[i] - x) * (ring[i + 3] - y) - (ring[i + 2] - x) * (ring[i + 1] - y);
  return twice > 0;
}
