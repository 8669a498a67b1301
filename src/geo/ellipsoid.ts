import geodesic from 'geographiclib-geodesic';

/** Semi-major axis of WGS84 in metres. */
export const WGS84_A = 6378137;

/** Flattening of WGS84. */
export const WGS84_F = 1 / 298.257223563;

/** First eccentricity squared of WGS84. */
export const WGS84_E2 = WGS84_F * (2 - WGS84_F);

/** Metres in a degree of a great circle, to scale maps and tolerances by. Distances are measured exactly elsewhere. */
export const METRES_PER_DEGREE = 111_320;

/** A degree in radians. */
export const DEGREE = Math.PI / 180;

/** Steps of the tables in a degree of latitude. Between two entries the linear reading is off by less than 1e-6 up to 85 degrees. */
const STEPS = 20;
const LAST = 180 * STEPS;
const EAST = new Float64Array(LAST + 2);
const NORTH = new Float64Array(LAST + 2);
for (let i = 0; i <= LAST; i++) {
  const sin = Math.sin((i / STEPS - 90) * DEGREE);
  const w2 = 1 - WGS84_E2 * sin * sin;
  EAST[i] = (WGS84_A / Math.sqrt(w2)) * Math.sqrt(1 - sin * sin) * DEGREE;
  NORTH[i] = ((WGS84_A * (1 - WGS84_E2)) / (w2 * Math.sqrt(w2))) * DEGREE;
}
EAST[LAST + 1] = EAST[LAST];
NORTH[LAST + 1] = NORTH[LAST];

/** Metres in one degree of longitude at a latitude in degrees: the prime vertical radius N times the cosine. 0 at the poles. */
export function metresPerDegreeEast(lat: number): number {
  return read(EAST, lat);
}

/** Metres in one degree of latitude at a latitude in degrees: the meridian radius M. */
export function metresPerDegreeNorth(lat: number): number {
  return read(NORTH, lat);
}

/**
 * Square of the distance in metres between two points in degrees that are near each other, with the radii of the latitude
 * halfway. The longitudes must not be a turn apart. Against the geodesic it is off by less than 0.03 % up to 100 km where
 * the latitude is under 60 degrees and up to 50 km under 84 degrees.
 */
export function nearDistance2(lonA: number, latA: number, lonB: number, latB: number): number {
  const at = (latA + latB) / 2;
  const east = (lonB - lonA) * read(EAST, at);
  const north = (latB - latA) * read(NORTH, at);
  return east * east + north * north;
}

function read(table: Float64Array, lat: number): number {
  const position = (lat + 90) * STEPS;
  if (!(position > 0)) return table[0];
  if (position >= LAST) return table[LAST];
  const step = position | 0;
  const before = table[step];
  return before + (position - step) * (table[step + 1] - before);
}

const WGS84 = geodesic.Geodesic.WGS84;
const DISTANCE = geodesic.Geodesic.DISTANCE;

/**
 * Length in metres of the shortest path on the WGS84 ellipsoid between two points given in degrees, by Karney's method:
 * right to about 15 nanometres everywhere, nearly antipodal points included. Longitudes may differ by full turns.
 */
export function geodesicDistanceM(lonA: number, latA: number, lonB: number, latB: number): number {
  return WGS84.Inverse(latA, lonA, latB, lonB, DISTANCE).s12 as number;
}
