import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import { polygonArea } from './polygon-area.ts';
import { runs } from '../../../test/property-runs.ts';

const WGS84 = geographiclib.Geodesic.WGS84;

/** Area and perimeter of one ring by Karney's own polygon code. */
function karney(ring: Float64Array): { area: number; perimeter: number } {
  const polygon = WGS84.Polygon(false);
  for (let i = 0; i < ring.length; i += 2) polygon.AddPoint(ring[i + 1], ring[i]);
  const { area, perimeter } = polygon.Compute(false, true);
  return { area: Math.abs(area ?? NaN), perimeter };
}

/** A star-shaped ring around a centre, radius in degrees. */
function star(lon: number, lat: number, radius: number, corners: readonly number[]): Float64Array {
  return Float64Array.from(
    corners.flatMap((share, i) => {
      const angle = (2 * Math.PI * i) / corners.length;
      return [
        lon + (radius * share * Math.cos(angle)) / Math.cos((lat * Math.PI) / 180),
        lat + radius * share * Math.sin(angle),
      ];
    }),
  );
}

const shares = fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 3, maxLength: 40 });
const lons = fc.double({ min: -180, max: 180, noNaN: true });
const lats = fc.double({ min: -80, max: 80, noNaN: true });

describe('area and perimeter of a polygon', () => {
  it('agree with geographiclib to a millionth, from a few metres to hundreds of kilometres', () => {
    const radii = fc.double({ min: -4.5, max: 0.5, noNaN: true }).map((power) => 10 ** power);
    fc.assert(
      fc.property(lons, lats, radii, shares, (lon, lat, radius, corners) => {
        const ring = star(lon, lat, radius, corners);
        const expected = karney(ring);
        const { area, perimeter } = polygonArea([ring]);
        assert.ok(Math.abs(area - expected.area) <= 1e-6 * expected.area + 1e-4, `${area}, wanted ${expected.area}`);
        assert.ok(Math.abs(perimeter / expected.perimeter - 1) < 1e-8, `${perimeter}, wanted ${expected.perimeter}`);
      }),
      { numRuns: runs(500) },
    );
  });

  it('agree to a thousand-millionth for an outline of short edges', () => {
    const ring = star(
      25,
      61,
      0.01,
      Array.from({ length: 900 }, (_, i) => 0.8 + 0.2 * Math.sin(i / 9)),
    );
    const expected = karney(ring);
    const { area, perimeter } = polygonArea([ring]);
    assert.ok(Math.abs(area / expected.area - 1) < 1e-9);
    assert.ok(Math.abs(perimeter / expected.perimeter - 1) < 1e-9);
  });

  it('take holes off the area and add them to the perimeter', () => {
    const exterior = Float64Array.of(10, 45, 10.01, 45, 10.01, 45.01, 10, 45.01);
    const hole = Float64Array.of(10.002, 45.002, 10.002, 45.004, 10.004, 45.004, 10.004, 45.002);
    const both = polygonArea([exterior, hole]);
    assert.ok(Math.abs(both.area - (karney(exterior).area - karney(hole).area)) < 0.01);
    assert.ok(Math.abs(both.perimeter - (karney(exterior).perimeter + karney(hole).perimeter)) < 1e-5);
  });

  it('do not depend on direction or on a repeated first vertex', () => {
    const ring = [0.1, 0.2, 0.3, 0.25, 0.2, 0.4];
    const turned = [0.1, 0.2, 0.2, 0.4, 0.3, 0.25];
    const { area, perimeter } = polygonArea([Float64Array.from(ring)]);
    const other = polygonArea([Float64Array.from([...turned, 0.1, 0.2])]);
    assert.ok(Math.abs(other.area / area - 1) < 1e-12);
    assert.ok(Math.abs(other.perimeter / perimeter - 1) < 1e-12);
  });

  it('take the short way over the antimeridian', () => {
    const here = polygonArea([Float64Array.of(179.99, 1, -179.99, 1, -179.99, 1.01, 179.99, 1.01)]);
    const elsewhere = polygonArea([Float64Array.of(9.99, 1, 10.01, 1, 10.01, 1.01, 9.99, 1.01)]);
    assert.ok(Math.abs(here.area / elsewhere.area - 1) < 1e-9);
  });

  it('cover the pole that a ring goes around', () => {
    const ring = Float64Array.of(0, 70, 90, 70, 180, 70, -90, 70);
    assert.ok(Math.abs(polygonArea([ring]).area / karney(ring).area - 1) < 1e-9);
  });

  it('are zero for rings without extent', () => {
    assert.deepEqual(polygonArea([]), { area: 0, perimeter: 0 });
    assert.deepEqual(polygonArea([new Float64Array()]), { area: 0, perimeter: 0 });
    assert.equal(polygonArea([Float64Array.of(5, 5)]).area, 0);
  });
});
