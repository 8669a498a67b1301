import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { geodesicDistanceM } from './ellipsoid.ts';
import { nearestOnSegment } from './rings/nearest-on-segment.ts';
import { runs } from '../../test/property-runs.ts';

interface Oracle {
  /** lon, lat, lon, lat, metres. */
  readonly points: readonly (readonly number[])[];
  /** lon, lat of a point, lon, lat of both ends, metres. */
  readonly segments: readonly (readonly number[])[];
}
const oracle = JSON.parse(readFileSync(new URL('../../test/oracles/geodesic.json', import.meta.url), 'utf8')) as Oracle;

test('distances between points are those of PROJ to a tenth of a millimetre', () => {
  assert.ok(oracle.points.length > 200);
  for (const [lonA, latA, lonB, latB, metres] of oracle.points) {
    const got = geodesicDistanceM(lonA, latA, lonB, latB);
    assert.ok(Math.abs(got - metres) < 1e-4, `${lonA} ${latA} to ${lonB} ${latB}: wanted ${metres}, got ${got}`);
  }
});

test('the point found on a segment is as near as the nearest by PROJ to 0.1 % or 1 m', () => {
  assert.ok(oracle.segments.length > 200);
  const spot = { lon: 0, lat: 0 };
  for (const [lon, lat, aLon, aLat, bLon, bLat, metres] of oracle.segments) {
    if (metres > 100_000) continue;
    const d2 = nearestOnSegment(lon, lat, aLon, aLat, bLon, bLat, 120_000, spot);
    const exact = geodesicDistanceM(lon, lat, spot.lon, spot.lat);
    const allowed = Math.max(1, metres * 0.001);
    const label = `${[lon, lat, aLon, aLat, bLon, bLat].join(' ')}: wanted ${metres}`;
    assert.ok(Math.abs(exact - metres) <= allowed, `${label}, got ${exact} at the point found`);
    assert.ok(Math.abs(Math.sqrt(d2) - metres) <= allowed, `${label}, got ${Math.sqrt(d2)} by the flat metric`);
  }
});

test('a segment is nowhere nearer than the point found on it, antimeridian and poles included', () => {
  const spot = { lon: 0, lat: 0 };
  const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true });
  const cases = fc.record({
    lon: fc.oneof(degrees(-180, 180), fc.constantFrom(-180, 180, 179.999, -179.999, 0)),
    lat: fc.oneof(degrees(-80, 80), degrees(80, 90), degrees(-90, -80)),
    step: fc.tuple(degrees(-0.3, 0.3), degrees(-0.3, 0.3)),
    run: fc.tuple(degrees(-0.24, 0.24), degrees(-0.24, 0.24)),
    turn: fc.constantFrom(-360, 0, 360),
  });
  fc.assert(
    fc.property(cases, ({ lon, lat, step, run, turn }) => {
      const aLat = clampLatitude(lat + step[1]);
      const aLon = lon + step[0] + turn;
      const [dLon, dLat] = [run[0], clampLatitude(aLat + run[1]) - aLat];
      nearestOnSegment(lon, lat, aLon, aLat, aLon + dLon, aLat + dLat, 100_000, spot);
      const found = geodesicDistanceM(lon, lat, spot.lon, spot.lat);
      for (let i = 0; i <= 20; i++) {
        const other = geodesicDistanceM(lon, lat, aLon + (i / 20) * dLon, aLat + (i / 20) * dLat);
        assert.ok(found <= other + Math.max(1, other * 0.001), `found ${found}, but ${other} at ${i}/20`);
      }
    }),
    { numRuns: runs(1500) },
  );
});

function clampLatitude(lat: number): number {
  return Math.max(-90, Math.min(90, lat));
}
