import {
  DEGREE,
  metresPerDegreeEast,
  metresPerDegreeNorth,
  nearDistance2,
  WGS84_A as A,
  WGS84_E2 as E2,
} from '../ellipsoid.ts';

/** Degrees a piece of a long segment spans at most; shorter ones are straight enough to be taken whole. */
const LONGEST_PIECE = 0.25;
/** Beyond this latitude the meridians converge too fast for a flat metric and pieces are measured through space. */
const POLAR_LATITUDE = 84;
const POLAR_PIECE = 0.05;

/** Where on a segment the nearest point was found; filled in by `nearestOnSegment`. */
export interface NearestPoint {
  /** Longitude and latitude in degrees; the longitude may lie a turn outside -180..180. */
  lon: number;
  lat: number;
}

/**
 * Square of the distance in metres from a point to a segment that is straight in longitude and latitude (as GeoJSON says),
 * and in `out` the nearest point of it. Takes the short way round the antimeridian. The nearest point is right to 0.03 % of its
 * distance up to 100 km; take `geodesicDistanceM` to it where the last metre counts. Distances over `withinM` may be overstated.
 */
export function nearestOnSegment(
  lon: number,
  lat: number,
  aLon: number,
  aLat: number,
  bLon: number,
  bLat: number,
  withinM: number,
  out: NearestPoint,
): number {
  const turn = aLon + bLon - 2 * lon > 360 ? -360 : aLon + bLon - 2 * lon < -360 ? 360 : 0;
  const dLon = bLon - aLon;
  const dLat = bLat - aLat;
  if (lat > POLAR_LATITUDE || lat < -POLAR_LATITUDE) return polar(lon, lat, aLon, aLat, dLon, dLat, withinM, out);
  if (dLon > LONGEST_PIECE || dLon < -LONGEST_PIECE || dLat > LONGEST_PIECE || dLat < -LONGEST_PIECE)
    return long(lon, lat, aLon, aLat, dLon, dLat, withinM, out);
  return short(lon, lat, aLon + turn, aLat, dLon, dLat, out);
}

function short(
  lon: number,
  lat: number,
  aLon: number,
  aLat: number,
  dLon: number,
  dLat: number,
  out: NearestPoint,
): number {
  const at = (lat + aLat + dLat / 2) / 2;
  const kx = metresPerDegreeEast(at);
  const ky = metresPerDegreeNorth(at);
  const sx = dLon * kx;
  const sy = dLat * ky;
  const length2 = sx * sx + sy * sy;
  let t = length2 === 0 ? 0 : ((lon - aLon) * kx * sx + (lat - aLat) * ky * sy) / length2;
  t = t > 0 ? (t < 1 ? t : 1) : 0;
  out.lon = aLon + t * dLon;
  out.lat = aLat + t * dLat;
  return nearDistance2(lon, lat, out.lon, out.lat);
}

const candidate: NearestPoint = { lon: 0, lat: 0 };

/** The part of a long segment that can lie within the distance, in pieces, seen from the point and from a turn either side. */
function long(
  lon: number,
  lat: number,
  aLon: number,
  aLat: number,
  dLon: number,
  dLat: number,
  withinM: number,
  out: NearestPoint,
): number {
  const south = lat - (withinM / 110_500) * 1.01;
  const north = lat + (withinM / 110_500) * 1.01;
  const reach = (withinM / metresPerDegreeEast(Math.min(89.5, Math.max(Math.abs(south), Math.abs(north))))) * 1.01;
  let best = Infinity;
  for (let turn = -360; turn <= 360; turn += 360) {
    const a = aLon + turn;
    const from = Math.max(0, enter(a, dLon, lon - reach, lon + reach), enter(aLat, dLat, south, north));
    const to = Math.min(1, leave(a, dLon, lon - reach, lon + reach), leave(aLat, dLat, south, north));
    if (!(from <= to)) continue;
    const pieces = Math.max(1, Math.ceil((Math.max(Math.abs(dLon), Math.abs(dLat)) * (to - from)) / LONGEST_PIECE));
    const step = (to - from) / pieces;
    for (let i = 0; i < pieces; i++) {
      const t = from + i * step;
      const d2 = short(lon, lat, a + t * dLon, aLat + t * dLat, dLon * step, dLat * step, candidate);
      if (d2 >= best) continue;
      best = d2;
      out.lon = candidate.lon;
      out.lat = candidate.lat;
    }
  }
  return best;
}

/** Share of the way along an axis at which a line that starts at `a` and runs `d` enters the band from `low` to `high`. */
function enter(a: number, d: number, low: number, high: number): number {
  if (d === 0) return a >= low && a <= high ? 0 : Infinity;
  return d > 0 ? (low - a) / d : (high - a) / d;
}

function leave(a: number, d: number, low: number, high: number): number {
  if (d === 0) return a >= low && a <= high ? 1 : -Infinity;
  return d > 0 ? (high - a) / d : (low - a) / d;
}

/** Near a pole: pieces of at most 0.05 degrees, measured as straight chords of the ellipsoid. */
function polar(
  lon: number,
  lat: number,
  aLon: number,
  aLat: number,
  dLon: number,
  dLat: number,
  withinM: number,
  out: NearestPoint,
): number {
  const reach = (withinM / 110_500) * 1.01;
  const from = Math.max(0, enter(aLat, dLat, lat - reach, lat + reach));
  const to = Math.min(1, leave(aLat, dLat, lat - reach, lat + reach));
  if (!(from <= to)) return Infinity;
  const pieces = Math.max(1, Math.ceil((Math.max(Math.abs(dLon), Math.abs(dLat)) * (to - from)) / POLAR_PIECE));
  const step = (to - from) / pieces;
  let best = Infinity;
  for (let i = 0; i < pieces; i++) {
    const t = from + i * step;
    const d2 = chord2(lon, lat, aLon + t * dLon, aLat + t * dLat, dLon * step, dLat * step, candidate);
    if (d2 >= best) continue;
    best = d2;
    out.lon = candidate.lon;
    out.lat = candidate.lat;
  }
  return best;
}

const p = new Float64Array(3);
const a = new Float64Array(3);
const b = new Float64Array(3);

function chord2(
  lon: number,
  lat: number,
  aLon: number,
  aLat: number,
  dLon: number,
  dLat: number,
  out: NearestPoint,
): number {
  earthCentred(lon, lat, p);
  earthCentred(aLon, aLat, a);
  earthCentred(aLon + dLon, aLat + dLat, b);
  let along = 0;
  let length2 = 0;
  for (let i = 0; i < 3; i++) {
    along += (p[i] - a[i]) * (b[i] - a[i]);
    length2 += (b[i] - a[i]) * (b[i] - a[i]);
  }
  const t = length2 === 0 ? 0 : Math.min(1, Math.max(0, along / length2));
  out.lon = aLon + t * dLon;
  out.lat = aLat + t * dLat;
  let d2 = 0;
  for (let i = 0; i < 3; i++) {
    const d = p[i] - a[i] - t * (b[i] - a[i]);
    d2 += d * d;
  }
  return d2;
}

function earthCentred(lon: number, lat: number, out: Float64Array): void {
  const sin = Math.sin(lat * DEGREE);
  const n = A / Math.sqrt(1 - E2 * sin * sin);
  const cos = Math.cos(lat * DEGREE);
  out[0] = n * cos * Math.cos(lon * DEGREE);
  out[1] = n * cos * Math.sin(lon * DEGREE);
  out[2] = n * (1 - E2) * sin;
}
