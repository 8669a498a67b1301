import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rate } from '../../test/facility-sources.ts';

const box = (west: number, east: number) => [
  [
    [west, -17],
    [east, -17],
    [east, -16],
    [west, -16],
    [west, -17],
  ],
];
const codesOf = (geometry: object) =>
  rate({ type: 'Feature', geometry, properties: {} }).warnings.map(({ code }) => code);

it('a geometry cut at 180 degrees does not warn that it spans the globe; one that is not cut does', () => {
  const cut = { type: 'MultiPolygon', coordinates: [box(179.9, 180), box(-180, -179.9)] };
  assert.ok(!codesOf(cut).includes('spans_half_the_globe'));
  assert.ok(codesOf({ type: 'Polygon', coordinates: box(-179.9, 179.9) }).includes('spans_half_the_globe'));
});
