import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  answer,
  codes,
  evidenceOf,
  footprints,
  never,
  options,
  pointAt,
  rate,
  riau,
  sources,
} from '../../test/facility-sources.ts';
import type { ValidatedFacility } from './result.ts';
import { validateFacility } from './validate-facility.ts';
import { WARNINGS } from './evidence/warnings.ts';
import { runs } from '../../test/property-runs.ts';

describe('a facility with everything in place', () => {
  it('has every field of the specification, flat, and the full score', () => {
    const result = rate(riau);
    assert.deepEqual(Object.keys(result), [
      'location_type',
      'facility_name',
      'country',
      'country_code',
      'commodity_type',
      'commodity_presence',
      'poi_presence',
      'high_density',
      'building_presence',
      'building_class',
      'road_access',
      'water_access',
      'port_proximity',
      'producer_confirmation_score',
      'producer_confirmed',
      'producer_confirmation_comment',
      'aggregation_comment',
      'confidence_score',
      'confidence_level',
      'evidence_coverage',
      'confidence_range',
      'confidence_basis',
      'primary_warning',
      'warnings',
      'messages',
      'evidence',
    ]);
    assert.deepEqual([result.confidence_score, result.confidence_level, result.primary_warning], [1, 'high', null]);
    assert.deepEqual(
      [result.location_type, result.country, result.country_code, result.commodity_type],
      ['facility', 'Indonesia', 'ID', 'palm'],
    );
    assert.match(
      result.aggregation_comment,
      /^Composed from the indicators: verified, with 100 % of what is scored assessed\. In Indonesia, which produces palm\. .*Nearest road: secondary road \(Jalan Raya\), 412 m away\./,
    );
  });

  it('carries one piece of evidence an indicator, with dataset and distance', () => {
    const { evidence } = rate(riau);
    assert.deepEqual(
      evidence.map(({ indicator }) => indicator),
      [
        'country',
        'latitude',
        'commodity_presence',
        'poi_presence',
        'building_presence',
        'road_access',
        'water_access',
        'port_proximity',
        'high_density',
        'producer_confirmation',
      ],
    );
    assert.deepEqual(evidence[5], {
      indicator: 'road_access',
      status: 'present',
      value: 1,
      penalty: 0,
      weight: 0.15,
      dataset: 'test',
      dataset_version: '1',
      distance_m: 412,
      code: 'nearest_road',
      params: {
        kind: { code: 'kind.secondary_road', message: 'secondary road' },
        name: 'Jalan Raya',
        distance_m: 412.4,
      },
      detail: 'Nearest road: secondary road (Jalan Raya), 412 m away.',
    });
  });

  it('marks evidence of generated data', () => {
    const made = { dataset: { id: 'sample', version: '1', synthetic: true }, value: null };
    assert.equal(evidenceOf(rate(riau, { nearestRoad: () => made }), 'road_access')?.synthetic, true);
  });
});

describe('the round trip', () => {
  it('keeps id, geometry and properties, and lets computed properties win', () => {
    const feature = {
      type: 'Feature',
      id: 0,
      geometry: { type: 'Point', coordinates: [101.4478000000001, 0.5071] },
      properties: { road_access: 'yes', Owner: { a: [1] }, name: 'X' },
    };
    const result = validateFacility(feature, options(), sources(), never) as ValidatedFacility;
    assert.equal(result.id, 0);
    assert.equal(result.geometry, feature.geometry);
    assert.deepEqual(
      [result.properties['Owner'], result.properties.road_access, result.properties.facility_name],
      [{ a: [1] }, 1, 'X'],
    );
    assert.equal('id' in (validateFacility(riau, options(), sources(), never) as object), false);
  });

  it('gives the same result when its own result is validated again, an old confidence_comment dropped', () => {
    const once = validateFacility(
      pointAt(101.4478, 0.5071, { name: 'A', confidence_comment: 'old' }),
      options(),
      sources(),
      never,
    ) as ValidatedFacility;
    assert.equal('confidence_comment' in once.properties, false);
    assert.deepEqual(validateFacility(once, options(), sources(), never), once);
  });
});

describe('invalid geometries', () => {
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [null, /There is no geometry/],
    [{ type: 'Point', coordinates: ['12.3', 4] }, /text "12.3" where a number was wanted/],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [4, 4],
            [4, 0],
            [0, 4],
            [0, 0],
          ],
        ],
      },
      /crosses itself or another ring at longitude 2, latitude 2/,
    ],
    ['nonsense', /the text "nonsense"/],
  ];
  for (const [geometry, reason] of bad) {
    it(`are unscored with the reason ${reason}`, () => {
      const result = validateFacility(
        { type: 'Feature', id: 'a', geometry, properties: { name: 'N' } },
        options(),
        sources(),
        never,
      ) as ValidatedFacility;
      const { properties } = result;
      assert.equal(result.geometry, geometry);
      assert.deepEqual(
        [properties.confidence_level, properties.confidence_score, properties.facility_name, properties.evidence],
        ['invalid', 0, 'N', []],
      );
      assert.match(properties.confidence_comment ?? '', reason);
      for (const name of [
        'commodity_presence',
        'poi_presence',
        'building_presence',
        'road_access',
        'water_access',
        'port_proximity',
        'high_density',
      ])
        assert.equal(properties[name], 0);
      assert.equal(properties.warnings[0]?.code, 'invalid_geometry');
    });
  }
});

describe('any facility', () => {
  const share = fc.option(
    fc.double({ min: 0, max: 1, noNaN: true }).map((value) => answer({ share: value, detail: '' })),
  );
  const near = fc.option(
    fc
      .option(
        fc.record({ distanceM: fc.nat({ max: 99_999 }), name: fc.option(fc.string()), kind: fc.constant('thing') }),
      )
      .map((value) => answer(value)),
  );
  const world = fc.record({
    where: fc.option(
      fc
        .constantFrom('ID', 'DE', null)
        .map((iso2) =>
          answer({ country: iso2 === null ? null : { iso2, name: iso2 }, onLand: iso2 !== null, neighbours: [] }),
        ),
    ),
    share,
    near,
    dense: fc.option(fc.boolean().map((dense) => answer({ dense, detail: '' }))),
    footprints: fc.option(fc.array(fc.nat({ max: 2_000 })).map((footprintsM2) => answer(footprints(footprintsM2)))),
    count: fc.option(fc.nat({ max: 3 }).map((count) => answer({ count, nearest: null }))),
  });
  const opts = fc.record({
    commodity: fc.constantFrom('palm' as const, 'cattle' as const, null),
    checkRoad: fc.boolean(),
    checkWater: fc.boolean(),
    checkPort: fc.boolean(),
  });
  const lonLat = fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );

  it('has a receipt that gives its score, a score from 0 to 1 and a level that fits it', () => {
    fc.assert(
      fc.property(world, opts, lonLat, ({ where, share, near, dense, footprints, count }, chosen, [lon, lat]) => {
        const result = rate(
          pointAt(lon, lat),
          {
            whereabouts: () => where,
            commodityShare: () => share,
            plantationShare: () => share,
            nearestRoad: () => near,
            nearestWater: () => near,
            nearestPort: () => near,
            density: () => dense,
            buildings: () => footprints,
            businesses: () => count,
          },
          chosen,
        );
        const paid = result.evidence.reduce((sum, { penalty }) => sum + Math.round(penalty * 100), 0);
        assert.equal(Math.round(result.confidence_score * 100), Math.max(0, 100 - paid));
        assert.ok(result.confidence_score >= 0 && result.confidence_score <= 1);
        const byScore = result.confidence_score >= 0.7 ? 'high' : result.confidence_score >= 0.45 ? 'medium' : 'low';
        const failed = evidenceOf(result, 'commodity_presence')?.status === 'absent';
        assert.equal(result.confidence_level, failed ? 'low' : byScore);
        assert.equal(result.primary_warning, result.warnings[0]?.message ?? null);
        const order = codes(result).map((code) => Object.keys(WARNINGS).indexOf(code));
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
        assert.ok(!result.warnings.some(({ message }) => /[{}]|undefined/.test(message)));
      }),
      { numRuns: runs(500) },
    );
  });

  it('made of garbage is a result too', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({
            type: fc.constant('Feature'),
            geometry: fc.anything(),
            properties: fc.anything(),
            id: fc.anything(),
          }),
        ),
        (feature) => {
          const result = validateFacility(feature, options(), sources(), never) as ValidatedFacility;
          assert.equal(result.type, 'Feature');
          assert.equal(result.properties.location_type, 'facility');
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});
