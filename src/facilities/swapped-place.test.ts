import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codes, noData, options, never, pointAt } from '../../test/facility-sources.ts';
import type { FacilitySources } from './sources.ts';
import type { ValidatedFacility } from './result.ts';
import { validateFacility } from './validate-facility.ts';

const malaysia: FacilitySources = {
  ...noData(),
  countryCode: (text) => (text === 'Malaysia' ? 'MY' : text === 'Ghana' ? 'GH' : null),
  whereabouts: ([lon]) => ({
    dataset: { id: 'd', version: '1', synthetic: false },
    value: { country: lon > 100 ? { iso2: 'MY', name: 'Malaysia' } : null, onLand: true, neighbours: [] },
  }),
};

const rated = (lon: number, lat: number, properties = {}) =>
  (validateFacility(pointAt(lon, lat, properties), options(), malaysia, never) as ValidatedFacility).properties;

describe('a position whose latitude is out of range', () => {
  it('is invalid and says where it would lie with its numbers exchanged', () => {
    const result = rated(3.1234567, 101.7654321);
    assert.equal(result.confidence_level, 'invalid');
    assert.deepEqual(codes(result), ['invalid_geometry', 'coordinates_swapped']);
    assert.match(result.warnings[1]?.message ?? '', /lies in Malaysia/);
  });

  it('says nothing of that where it fits no country, or not the stated one', () => {
    assert.deepEqual(codes(rated(3, 95)), ['invalid_geometry']);
    assert.deepEqual(codes(rated(3, 101, { country: 'Ghana' })), ['invalid_geometry']);
    assert.deepEqual(codes(rated(3, 101, { country: 'Malaysia' })), ['invalid_geometry', 'coordinates_swapped']);
    assert.deepEqual(codes(rated(3, 200)), ['invalid_geometry']);
  });
});

describe('a geometry over half the globe', () => {
  it('warns that it was taken the long way round', () => {
    const ring = [
      [179, -17],
      [-179, -17],
      [-179, -16],
      [179, -16],
      [179, -17],
    ];
    const feature = { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] }, properties: {} };
    const { properties } = validateFacility(feature, options(), malaysia, never) as ValidatedFacility;
    assert.ok(codes(properties).includes('spans_half_the_globe'));
  });
});
