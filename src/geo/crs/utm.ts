import { DEGREE, WGS84_A, WGS84_E2, WGS84_F } from '../ellipsoid.ts';
import type { Projection } from './find-crs.ts';

const N = WGS84_F / (2 - WGS84_F);
const E = Math.sqrt(WGS84_E2);
const SCALE = 0.9996;
/** Metres of a unit of the rectified sphere, scale on the central meridian included. */
const RADIUS = ((SCALE * WGS84_A) / (1 + N)) * (1 + N ** 2 / 4 + N ** 4 / 64 + N ** 6 / 256);
const FALSE_EASTING = 500000;
const FALSE_NORTHING_SOUTH = 10000000;

/**
 * Coefficients of the series of Krueger (1912) by powers of the third flattening, as in Karney, "Transverse Mercator
 * with an accuracy of a few nanometers" (2011), eq. 35 and 36, and Kawase (2011) for the latitude. Row j is the
 * factor of sin 2j; its first entry stands with N ** j. Terms of N ** 6 (a nanometre) are left out.
 */
const FORWARD = series([
  [1 / 2, -2 / 3, 5 / 16, 41 / 180, -127 / 288],
  [13 / 48, -3 / 5, 557 / 1440, 281 / 630],
  [61 / 240, -103 / 140, 15061 / 26880],
  [49561 / 161280, -179 / 168],
]);
const INVERSE = series([
  [-1 / 2, 2 / 3, -37 / 96, 1 / 360, 81 / 512],
  [-1 / 48, -1 / 15, 437 / 1440, -46 / 105],
  [-17 / 480, 37 / 840, 209 / 4480],
  [-4397 / 161280, 11 / 504],
]);
const LATITUDE = series([
  [2, -2 / 3, -2, 116 / 45, 26 / 45],
  [7 / 3, -8 / 5, -227 / 45, 2704 / 315],
  [56 / 15, -136 / 35, -1262 / 105],
  [4279 / 630, -332 / 35],
]);

/**
 * The UTM zone `zone` (1 to 60) on WGS84, in metres, northern or southern. Exact to a micrometre within 10 degrees of
 * the central meridian. Longitudes run on over the antimeridian: east of zone 60 lies 180.1, not -179.9, so that the
 * corners of one raster stay together.
 */
export function utmProjection(zone: number, north: boolean): Projection {
  if (!Number.isInteger(zone) || zone < 1 || zone > 60) throw new RangeError(`wanted a UTM zone 1 to 60, got ${zone}`);
  const centralMeridian = zone * 6 - 183;
  const falseNorthing = north ? 0 : FALSE_NORTHING_SOUTH;
  return {
    toXY(lon, lat, out, at) {
      const offset = lon - centralMeridian;
      const lambda = (offset - 360 * Math.round(offset / 360)) * DEGREE;
      const t = Math.tan(lat * DEGREE);
      const secant = Math.sqrt(1 + t * t);
      const sigma = Math.sinh(E * Math.atanh((E * t) / secant));
      const conformal = t * Math.sqrt(1 + sigma * sigma) - sigma * secant;
      const cosLambda = Math.cos(lambda);
      const xi = Math.atan2(conformal, cosLambda);
      const eta = Math.asinh(Math.sin(lambda) / Math.hypot(conformal, cosLambda));
      addComplexSeries(FORWARD, xi, eta, out, at);
      const northing = out[at] * RADIUS + falseNorthing;
      out[at] = out[at + 1] * RADIUS + FALSE_EASTING;
      out[at + 1] = northing;
    },
    toLonLat(x, y, out, at) {
      addComplexSeries(INVERSE, (y - falseNorthing) / RADIUS, (x - FALSE_EASTING) / RADIUS, out, at);
      const xi = out[at];
      const sinhEta = Math.sinh(out[at + 1]);
      const cosXi = Math.cos(xi);
      const conformal = Math.atan2(Math.sin(xi), Math.sqrt(sinhEta * sinhEta + cosXi * cosXi));
      out[at] = centralMeridian + Math.atan2(sinhEta, cosXi) / DEGREE;
      out[at + 1] = addSeries(LATITUDE, conformal) / DEGREE;
    },
  };
}

/** The zone of an EPSG code 32601 to 32660 or 32701 to 32760, or null for any other code. */
export function utmZoneOfEpsg(code: number): { readonly zone: number; readonly north: boolean } | null {
  const zone = code % 100;
  const family = code - zone;
  return (family === 32600 || family === 32700) && zone >= 1 && zone <= 60 ? { zone, north: family === 32600 } : null;
}

function series(rows: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(rows, (row, j) => row.reduce((sum, factor, k) => sum + factor * N ** (j + 1 + k), 0));
}

/** angle + sum of c[j] sin 2(j+1)angle, by Clenshaw's recurrence. */
function addSeries(c: Float64Array, angle: number): number {
  const twice = 2 * Math.cos(2 * angle);
  let b1 = 0;
  let b2 = 0;
  for (let j = c.length - 1; j >= 0; j--) {
    const b = c[j] + twice * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return angle + b1 * Math.sin(2 * angle);
}

/** The same for the complex angle xi + i eta; real and imaginary part go to `out`. */
function addComplexSeries(c: Float64Array, xi: number, eta: number, out: Float64Array, at: number): void {
  const sin = Math.sin(2 * xi);
  const cos = Math.cos(2 * xi);
  const up = Math.exp(2 * eta);
  const sinh = eta * eta < 1e-6 ? Math.sinh(2 * eta) : (up - 1 / up) / 2;
  const cosh = (up + 1 / up) / 2;
  const re = 2 * cos * cosh;
  const im = -2 * sin * sinh;
  let b1r = 0;
  let b1i = 0;
  let b2r = 0;
  let b2i = 0;
  for (let j = c.length - 1; j >= 0; j--) {
    const br = c[j] + re * b1r - im * b1i - b2r;
    const bi = re * b1i + im * b1r - b2i;
    b2r = b1r;
    b2i = b1i;
    b1r = br;
    b1i = bi;
  }
  const sr = sin * cosh;
  const si = cos * sinh;
  out[at] = xi + b1r * sr - b1i * si;
  out[at + 1] = eta + b1r * si + b1i * sr;
}
