import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import { geodesicDistanceM } from '../../geo/ellipsoid.ts';
import { utmProjection } from '../../geo/crs/utm.ts';
import { pointShape, type Shape } from '../../geo/shapes/shape.ts';
import { centresOf, samplePlaces, type SampledLattice } from './places.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** A raster of 10 m in a zone of UTM, or one in degrees, near a place; its first pixel lies anywhere. */
function latticeAt(lon: number, lat: number, isUtm: boolean, shift: number): SampledLattice {
  if (!isUtm) return { id: 'degrees', transform: [9e-5, 0, lon - 1 + shift, 0, -9e-5, lat + 1], crs: 'EPSG:4326' };
  const zone = Math.min(60, Math.floor((lon + 180) / 6) + 1);
  const xy = new Float64Array(2);
  utmProjection(zone, true).toXY(lon, lat, xy, 0);
  const [x, y] = [Math.round(xy[0] / 10) * 10 - 20_000, Math.round(xy[1] / 10) * 10 + 30_000];
  return { id: 'zone', transform: [10, 0, x, 0, -10, y], crs: `EPSG:${32600 + zone}` };
}

/** The same point twice: a shape that is not taken for a point. */
function twice([lon, lat]: readonly [number, number]): Shape {
  return { ...pointShape(lon, lat), points: Float64Array.of(lon, lat, lon, lat) };
}

test('the pixels around a point are those that the geodesic puts within the radius, on every raster', () => {
  const lat = fc.oneof(number(-70, 70), number(-2, 2));
  fc.assert(
    fc.property(
      number(-180, 180),
      lat,
      fc.boolean(),
      number(0, 1e-4),
      number(20, 9_000),
      (lon, at, isUtm, shift, m) => {
        const lattice = latticeAt(lon, at, isUtm, shift);
        const found = samplePlaces(lattice, pointShape(lon, at), m);
        assert.deepEqual(found, samplePlaces(lattice, twice([lon, at]), m));
        const centres = centresOf(lattice, found.positions);
        if (found.positions.length === 2) return;
        for (let i = 0; i < centres.length; i += 2)
          assert.ok(geodesicDistanceM(lon, at, centres[i], centres[i + 1]) <= m);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('files of one grid give the same pixels of the ground, wherever each begins', () => {
  const place = [102.1, 3.2] as const;
  const lattice = latticeAt(...place, true, 0);
  const [a, b, c, d, e, f] = lattice.transform;
  const other = { ...lattice, transform: [a, b, c - 8_190, d, e, f + 12_340] as const };
  for (const radiusM of [100, 700, 5_000]) {
    const [one, two] = [lattice, other].map((each) => samplePlaces(each, pointShape(...place), radiusM).positions);
    assert.deepEqual(
      two.map((value, i) => value - (i % 2 === 0 ? 819 : 1234)),
      one,
    );
  }
});
