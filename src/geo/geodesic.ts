import geodesic from 'geographiclib-geodesic';

const WGS84 = geodesic.Geodesic.WGS84;
const DISTANCE = geodesic.Geodesic.DISTANCE;

/**
 * Length in metres of the shortest path on the WGS84 ellipsoid between two points given in degrees, by Karney's method:
 * right to about 15 nanometres everywhere, nearly antipodal points included. Longitudes may differ by full turns.
 */
export function geodesicDistanceM(lonA: number, latA: number, lonB: number, latB: number): number {
  return WGS84.Inverse(latA, lonA, latB, lonB, DISTANCE).s12 as number;
}
