import geographiclib from 'geographiclib-geodesic';
import { DEGREE, WGS84_A, WGS84_E2 } from '../ellipsoid.ts';

const { WGS84, AREA, DISTANCE } = geographiclib.Geodesic;
/** Edges up to this many radians in both directions (200 m) are measured by the short formulas, longer ones by Karney's. */
const SHORT = 200 / WGS84_A;
/** Half of `a^2 (1 - e^2)`: the factor of the area between the equator and a parallel, per radian of longitude. */
const HALF_B2 = (WGS84_A * WGS84_A * (1 - WGS84_E2)) / 2;
/** Area of half the ellipsoid in square metres. */
const HEMISPHERE = 2 * Math.PI * areaFactor(1);

/** Area and length of all rings of a polygon on WGS84. */
export interface PolygonSize {
  /** Square metres, holes taken off; never negative for a valid polygon. */
  readonly area: number;
  /** Metres along the exterior and all holes. */
  readonly perimeter: number;
}

/**
 * Geodesic area and perimeter of a polygon on WGS84, its edges being geodesics. Rings are longitude, latitude in degrees, flat,
 * open or closed, in either direction; the first is the exterior, the others are holes. A ring may cross the
 * antimeridian (edges take the short way round) or go around a pole, and covers less than half the earth.
 *
 * Long edges are measured by Karney's algorithms (2013) as implemented by geographiclib-geodesic. Short ones by the
 * authalic trapezoid plus the spherical bulge of the geodesic over its chord, which agrees with them to 1e-9.
 */
export function polygonArea(rings: readonly Float64Array[]): PolygonSize {
  const sum = { area: 0, length: 0 };
  let area = 0;
  let perimeter = 0;
  for (let r = 0; r < rings.length; r++) {
    measureRing(rings[r], sum);
    area += r === 0 ? Math.abs(sum.area) : -Math.abs(sum.area);
    perimeter += sum.length;
  }
  return { area, perimeter };
}

/** Leaves the signed area (counter-clockwise is positive, away from the poles) and the length of one ring in `out`. */
function measureRing(ring: Float64Array, out: { area: number; length: number }): void {
  const size = ring.length;
  let area = 0;
  let length = 0;
  let turn = 0;
  if (size >= 2) {
    let lon = ring[size - 2];
    let lat = ring[size - 1];
    let sin = Math.sin(lat * DEGREE);
    let factor = areaFactor(sin);
    for (let i = 0; i < size; i += 2) {
      const nextLon = ring[i];
      const nextLat = ring[i + 1];
      const nextSin = Math.sin(nextLat * DEGREE);
      const nextFactor = areaFactor(nextSin);
      let step = nextLon - lon;
      if (step > 180 || step < -180) step -= 360 * Math.round(step / 360);
      turn += step;
      const dLambda = step * DEGREE;
      const dPhi = (nextLat - lat) * DEGREE;
      if (dLambda < SHORT && dLambda > -SHORT && dPhi < SHORT && dPhi > -SHORT) {
        const sinMiddle = (sin + nextSin) / 2;
        const cos2 = 1 - sinMiddle * sinMiddle;
        const w2 = 1 - WGS84_E2 * sinMiddle * sinMiddle;
        const bulge = sinMiddle * ((dPhi * dPhi) / 4 + (dLambda * dLambda * cos2) / 12);
        area -= dLambda * ((factor + nextFactor) / 2 + 2 * HALF_B2 * bulge);
        const east2 = dLambda * dLambda * cos2;
        const north = (dPhi * (1 - WGS84_E2)) / w2;
        length += WGS84_A * Math.sqrt((east2 + north * north) / w2);
      } else {
        const edge = WGS84.Inverse(lat, lon, nextLat, nextLon, AREA | DISTANCE);
        area -= edge.S12 ?? 0;
        length += edge.s12 ?? 0;
      }
      lon = nextLon;
      lat = nextLat;
      sin = nextSin;
      factor = nextFactor;
    }
  }
  out.area = Math.abs(turn) > 180 ? HEMISPHERE - Math.abs(area) : area;
  out.length = length;
}

/**
 * Square metres between the equator and the latitude of this sine, per radian of longitude:
 * `b^2 / 2 (s / (1 - e^2 s^2) + atanh(e s) / e)` as a power series in `e^2 s^2`.
 */
export function areaFactor(s: number): number {
  const w = WGS84_E2 * s * s;
  return HALF_B2 * s * (2 + w * (4 / 3 + w * (6 / 5 + w * (8 / 7 + w * (10 / 9 + w * (12 / 11 + (w * 14) / 13))))));
}
