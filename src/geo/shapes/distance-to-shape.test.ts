import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import { DEGREE, geodesicDistanceM, metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import { distanceToShapeM, isWithinM } from './distance-to-shape.ts';
import { boxRing, pointShape, type Shape } from './shape.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test('what is within a distance is what the geodesic says, on the limit too', () => {
  const latitude = fc.oneof(number(-89, 89), number(80, 84), number(-84, -80), number(-1, 1));
  const radius = fc.oneof(number(1, 10_000), number(10_000, 50_000));
  const off = fc.oneof(number(-2e-3, 2e-3), number(-1e-5, 1e-5), number(-1e-6, 1e-6), fc.constant(0), number(-1, 1));
  fc.assert(
    fc.property(number(-180, 180), latitude, radius, number(0, 360), off, fc.boolean(), (...given) => {
      const [lon, lat, withinM, bearing, part, isBox] = given;
      const metres = withinM * (1 + part);
      const otherLat = lat + (metres * Math.cos(bearing * DEGREE)) / metresPerDegreeNorth(lat);
      if (Math.abs(otherLat) > 89.5) return;
      const otherLon = lon + (metres * Math.sin(bearing * DEGREE)) / metresPerDegreeEast((lat + otherLat) / 2);
      const shape = isBox ? box(lon, lat) : pointShape(lon, lat);
      const exact = distanceToShapeM(shape, otherLon, otherLat, withinM) <= withinM;
      assert.equal(isWithinM(shape, otherLon, otherLat, withinM), exact);
      const between = geodesicDistanceM(lon, lat, otherLon, otherLat);
      if (!isBox && Math.abs(between - withinM) > 1e-6) assert.equal(exact, between <= withinM);
    }),
    { numRuns: runs(20_000) },
  );
});

/** A square of 100 m with its south-western corner there. */
function box(west: number, south: number): Shape {
  const [east, north] = [west + 100 / metresPerDegreeEast(south), south + 100 / metresPerDegreeNorth(south)];
  const bbox = [west, south, east, north] as const;
  return { points: new Float64Array(0), lines: [], polygons: [[boxRing(bbox)]], bbox, inside: [west, south] };
}
