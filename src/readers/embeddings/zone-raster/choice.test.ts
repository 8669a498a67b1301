import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareZones, fromMeridian, standardZone } from './choice.ts';

test('the standard zone is that of the longitude, over the antimeridian and the equator too', () => {
  const cases: [lon: number, lat: number, epsg: number][] = [
    [-180, 10, 32_601],
    [180, 10, 32_601],
    [179.999, 10, 32_660],
    [-180.001, 10, 32_660],
    [539.9, 10, 32_660],
    [0, 0, 32_631],
    [-1e-9, 0, 32_630],
    [0, -1e-9, 32_731],
    [5.9, 60, 32_631],
    [6, 60, 32_632],
    [24.5, 65.5, 32_635],
    [-68, -20, 32_719],
  ];
  for (const [lon, lat, epsg] of cases) assert.equal(standardZone(lon, lat), epsg, `${lon}, ${lat}`);
});

test('the distance to a central meridian goes the short way round', () => {
  assert.equal(fromMeridian(-179, 32_660), 4);
  assert.equal(fromMeridian(179, 32_601), -4);
  assert.equal(fromMeridian(9, 32_632), 0);
  assert.ok(Number.isNaN(fromMeridian(9, 4326)));
});

test('a zone with a footprint there comes first, then the standard one, then the nearest, then the hemisphere', () => {
  const order = (lon: number, lat: number, ...zones: [epsg: number, inFootprint: boolean][]): number[] =>
    zones
      .map(([epsg, inFootprint]) => ({ epsg, inFootprint }))
      .toSorted(compareZones(lon, lat))
      .map(({ epsg }) => epsg);
  assert.deepEqual(order(5.9, 50, [32_632, true], [32_631, true]), [32_631, 32_632]);
  // Southern Norway: the files of zone 32 reach to 3 degrees east, those of zone 31 end there.
  assert.deepEqual(order(5.3, 60.4, [32_631, false], [32_632, true]), [32_632, 32_631]);
  // Svalbard has no zone 34: 33 and 35 meet at 21 degrees east.
  assert.deepEqual(order(20.5, 78.5, [32_635, true], [32_633, true]), [32_633, 32_635]);
  assert.deepEqual(order(10, -0.01, [32_632, true], [32_732, true]), [32_732, 32_632]);
  assert.deepEqual(order(10, 0, [32_732, true], [32_632, true]), [32_632, 32_732]);
  assert.deepEqual(order(12, -0.01, [32_632, true], [32_733, true], [32_732, true]), [32_733, 32_732, 32_632]);
  assert.deepEqual(order(10, 50, [4326, true], [32_634, true]), [32_634, 4326]);
});
