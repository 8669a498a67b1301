import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { geodesicDistanceM } from '../ellipsoid.ts';
import { longitudeGap, reachAround } from './reach.ts';
import { runs } from '../../../test/property-runs.ts';

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test('the gap between spans is the smaller way round, however wide they are', () => {
  assert.equal(longitudeGap(-180, -179, 179, 180), 0);
  assert.ok(Math.abs(longitudeGap(-179.99, -179.99, -0.46, 179.6) - 0.41) < 1e-9);
  assert.equal(longitudeGap(10, 20, 25, 30), 5);
  assert.equal(longitudeGap(25, 30, 10, 20), 5);
  assert.equal(longitudeGap(10, 20, 15, 30), 0);
  const span = fc
    .tuple(degrees(-180, 180), degrees(-180, 180))
    .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
  fc.assert(
    fc.property(span, span, degrees(0, 1), degrees(0, 1), ([west, east], [otherWest, otherEast], t, u) => {
      const between = Math.abs(west + t * (east - west) - (otherWest + u * (otherEast - otherWest)));
      const gap = longitudeGap(west, east, otherWest, otherEast);
      assert.ok(gap <= Math.min(between, 360 - between) + 1e-9);
      assert.equal(gap, longitudeGap(otherWest, otherEast, west, east));
    }),
  );
});

test('nothing within the distance is beyond the reach or nearer than its lower bound says', () => {
  const place = fc.record({
    lon: degrees(-180, 180),
    lat: fc.oneof(degrees(-90, 90), degrees(85, 90), degrees(-90, -85)),
  });
  fc.assert(
    fc.property(place, degrees(-1, 1), degrees(-1, 1), degrees(1, 100_000), ({ lon, lat }, up, along, withinM) => {
      const reach = reachAround(lat, lat, withinM);
      const otherLat = Math.max(-90, Math.min(90, lat + up * 2 * reach.latitudes));
      const otherLon = lon + along * 2 * Math.min(90, reach.longitudes);
      const metres = geodesicDistanceM(lon, lat, otherLon, otherLat);
      if (metres > withinM) return;
      assert.ok(
        Math.abs(otherLat - lat) <= reach.latitudes * 1.0001 && Math.abs(otherLon - lon) <= reach.longitudes * 1.0001,
      );
      assert.ok(Math.hypot((otherLon - lon) * reach.east, (otherLat - lat) * reach.north) <= metres * 1.0001 + 1e-6);
    }),
    { numRuns: runs(3000) },
  );
});
