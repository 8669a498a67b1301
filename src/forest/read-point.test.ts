import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseJson } from '../geo/parse-json.ts';
import { readPoint } from './read-point.ts';

const feature = (coordinates: unknown) => ({ type: 'Feature', geometry: { type: 'Point', coordinates } });

function faultOf(value: unknown): string {
  const read = readPoint(value);
  assert.equal(read.point, null, JSON.stringify(value));
  return read.point === null ? read.fault : '';
}

describe('the point of a feature', () => {
  it('is every place on earth, with a height or without', () => {
    const places = fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -90, max: 90, noNaN: true }),
    );
    fc.assert(
      fc.property(places, fc.option(fc.double()), ([lon, lat], height) => {
        const { point, input } = readPoint(feature(height === null ? [lon, lat] : [lon, lat, height]));
        assert.deepEqual(point, [lon, lat]);
        assert.deepEqual(input, [lon, lat]);
      }),
    );
  });

  it('is refused with what was wanted and what came', () => {
    assert.match(faultOf(feature([190, 5])), /longitude from -180 to 180, got 190/);
    assert.match(faultOf(feature([5, 100])), /latitude from -90 to 90, got 100; longitude and latitude look swapped/);
    assert.doesNotMatch(faultOf(feature([5, 1000])), /swapped/);
    assert.match(faultOf(feature([5])), /got 1 coordinates/);
    assert.match(faultOf(feature(['5', 5])), /got the text "5"/);
    assert.match(faultOf(feature([5, null])), /got null/);
    assert.match(faultOf(feature([[1, 2]])), /got 1 coordinates/);
    assert.match(
      faultOf(
        feature([
          [1, 2],
          [3, 4],
        ]),
      ),
      /got a list/,
    );
    assert.match(faultOf(feature('1,2')), /coordinates as a list/);
    assert.match(
      faultOf(parseJson('{"type":"Feature","geometry":{"type":"Point","coordinates":[1e999,2]}}')),
      /"1e999"/,
    );
    assert.match(faultOf({ type: 'Feature', geometry: null }), /there is no geometry/);
    assert.match(faultOf({ type: 'Point', coordinates: [1, 2] }), /wanted a Feature, got an object of type "Point"/);
    assert.match(faultOf({ type: 'Feature', geometry: { type: 'MultiPoint', coordinates: [[1, 2]] } }), /"MultiPoint"/);
    assert.match(faultOf('x'.repeat(100)), /"x{40}\.\.\."/);
  });

  it('keeps two numbers that came, whatever they are', () => {
    assert.deepEqual(readPoint(feature([190, 95])).input, [190, 95]);
    assert.equal(readPoint(feature(['190', 95])).input, null);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, coordinates) => {
        readPoint(value);
        readPoint({ type: 'Feature', geometry: value });
        readPoint(feature(coordinates));
      }),
    );
  });
});
