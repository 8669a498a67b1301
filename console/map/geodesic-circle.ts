import geodesic from 'geographiclib-geodesic';
import type { Feature, Polygon } from 'geojson';

const { WGS84 } = geodesic.Geodesic;
const SIDES = 96;

/** A circle of so many metres on the ellipsoid around a place, and its radius as a property. */
export function geodesicCircle(lon: number, lat: number, radiusM: number): Feature<Polygon, { radius_m: number }> {
  const ring = Array.from({ length: SIDES + 1 }, (_, i) => {
    const { lon2 = 0, lat2 = 0 } = WGS84.Direct(lat, lon, -((i % SIDES) * 360) / SIDES, radiusM);
    // The side of the antimeridian that the centre is on, so that the ring does not go round the world.
    return [lon2 + 360 * Math.round((lon - lon2) / 360), lat2];
  });
  return { type: 'Feature', properties: { radius_m: radiusM }, geometry: { type: 'Polygon', coordinates: [ring] } };
}
