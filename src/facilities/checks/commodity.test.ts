import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  answer,
  codes,
  evidenceOf,
  footprints,
  inCountry,
  pointAt,
  rate,
  riau,
} from '../../../test/facility-sources.ts';
import type { CommodityShare } from '../sources.ts';

describe('the score with a commodity half there', () => {
  it('makes 1 - 0.25 - 0.15 - 0.15 exactly 0.45 and medium', () => {
    const result = rate(riau, {
      commodityShare: () => answer({ share: 0.02, detail: '' }),
      buildings: () => answer(footprints([])),
      nearestRoad: () => answer(null),
    });
    assert.deepEqual(
      [result.confidence_score, result.confidence_level, result.commodity_presence],
      [0.45, 'medium', 0.4],
    );
  });

  it('takes 0.50 alone for absence', () => {
    const result = rate(riau, { commodityShare: () => answer({ share: 0, detail: '' }) });
    assert.deepEqual([result.confidence_score, result.commodity_presence], [0.5, 0]);
  });
});

describe('commodity', () => {
  it('is ruled out, and low, in a country that does not produce it', () => {
    const result = rate(riau, inCountry('DE', 'Germany'));
    assert.deepEqual([result.commodity_presence, result.confidence_score, result.confidence_level], [0, 0.5, 'low']);
    assert.equal(result.primary_warning, 'Germany is not among the countries that produce palm.');
    assert.match(evidenceOf(result, 'commodity_presence')?.detail ?? '', /^Ruled out: in Germany/);
  });

  it('is ruled out, and low, beyond the possible latitudes', () => {
    const result = rate(pointAt(-57.1234, -25.1234), inCountry('BR', 'Brazil'));
    assert.deepEqual(
      [result.commodity_presence, result.confidence_level, codes(result)[0]],
      [0, 'low', 'latitude_beyond_limit'],
    );
  });

  it('passes with a warning between viable and unlikely', () => {
    const result = rate(pointAt(-57.1234, -17.1234), inCountry('BR', 'Brazil'));
    assert.deepEqual([result.confidence_level, codes(result)], ['high', ['latitude_marginal']]);
  });

  const shares = [
    [0.05, 1],
    [0.9, 1],
    [0.0499, 0.99],
    [0.025, 0.5],
    [1e-9, 0.01],
    [0, 0],
  ] as const;
  for (const [share, value] of shares) {
    it(`gives a share of ${share} the presence ${value}`, () => {
      const result = rate(riau, { commodityShare: () => answer({ share, detail: '' }) });
      assert.deepEqual([result.commodity_presence, result.confidence_level === 'low'], [value, value === 0]);
    });
  }

  it('counts half when no detector or map covers the place', () => {
    const result = rate(riau, { commodityShare: () => null });
    assert.deepEqual(
      [result.commodity_presence, result.confidence_score, evidenceOf(result, 'commodity_presence')?.status],
      [0.5, 0.75, 'unknown'],
    );
    assert.match(result.aggregation_comment, /no detector or map covers this place/);
  });

  it('counts half when the source that measures it fails, and says why: an outage costs no more than no dataset', () => {
    const result = rate(riau, { commodityShare: () => assert.fail('down') });
    assert.deepEqual(
      [result.commodity_presence, result.confidence_score, evidenceOf(result, 'commodity_presence')?.status],
      [0.5, rate(riau, { commodityShare: () => null }).confidence_score, 'unknown'],
    );
    assert.deepEqual(codes(result), ['source_failed']);
    assert.match(
      evidenceOf(result, 'commodity_presence')?.detail ?? '',
      /^Palm could not be measured: the source failed .*Country and latitude allow it, so it counts half\.$/,
    );
  });

  it('counts nothing when a source fails for a commodity that no table knows', () => {
    const result = rate(riau, { plantationShare: () => assert.fail('down') }, { commodity: null });
    assert.deepEqual([result.commodity_presence, evidenceOf(result, 'commodity_presence')?.status], [0, 'unknown']);
  });

  it('counts nothing when not even the country is known', () => {
    const result = rate(riau, { commodityShare: () => null, whereabouts: () => null });
    assert.deepEqual([result.commodity_presence, result.confidence_level, result.country], [0, 'medium', null]);
  });

  const measurements: readonly (readonly [string, CommodityShare, number, string, RegExp])[] = [
    [
      'all of the ground known and nothing found',
      { share: 0, covered: 0.95, detail: '' },
      0,
      'absent',
      /was not found/,
    ],
    [
      'nothing found on ground known in part',
      { share: 0, covered: 0.94, detail: '' },
      0.5,
      'unknown',
      /only 94 % of the area .* neither present nor absent\. Country and latitude allow it/,
    ],
    [
      'something found on ground known in part',
      { share: 0.06, covered: 0.5, detail: '' },
      0.6,
      'present',
      /^Palm on at least 3\.0 % of all of the area/,
    ],
    [
      'so much found on a part that it is enough for the whole',
      { share: 0.2, covered: 0.5, detail: '' },
      1,
      'present',
      /at least 10 %/,
    ],
    [
      'a share that false claims alone explain',
      { share: 0.01, between: [0, 0.03], detail: '' },
      0,
      'absent',
      /was not found within 5,000 m\. It may be on up to 3\.0 %\./,
    ],
    [
      'too few pixels to rule full presence out',
      { share: 0, between: [0, 0.16], detail: '' },
      0.5,
      'unknown',
      /too little was looked at/,
    ],
    ['a share clear of false claims', { share: 0.02, between: [0.01, 0.03], detail: '' }, 0.4, 'present', /2\.0 %/],
  ];
  for (const [what, measured, value, status, words] of measurements) {
    it(`is ${status} by ${what}`, () => {
      const result = rate(riau, { commodityShare: () => answer(measured) });
      const found = evidenceOf(result, 'commodity_presence');
      assert.deepEqual([result.commodity_presence, found?.status], [value, status]);
      assert.match(found?.detail ?? '', words);
      assert.equal(result.confidence_level === 'low', status === 'absent');
    });
  }

  it('leaves the score open upwards where what was found is the least there is', () => {
    const found = (share: number) => rate(riau, { commodityShare: () => answer({ share, covered: 0.5, detail: '' }) });
    assert.deepEqual(found(0.06).confidence_range, { lowest: 0.75, highest: 1 });
    assert.deepEqual([found(0.06).evidence_coverage, found(0.2).evidence_coverage], [0.55, 1]);
    assert.equal(evidenceOf(found(0.06), 'commodity_presence')?.value_up_to, 1);
    assert.deepEqual(codes(found(0.06)), [], 'ground that nobody knows is no sign of little');
    assert.deepEqual(found(0.2).confidence_range, { lowest: 1, highest: 1 });
    assert.deepEqual(found(0).confidence_range, { lowest: 0.75, highest: 1 });
  });

  it('does not take a share that is no share', () => {
    for (const share of [Number.NaN, -0.1, 1.1]) {
      const result = rate(riau, { commodityShare: () => answer({ share, detail: '' }) });
      assert.deepEqual([result.commodity_presence, evidenceOf(result, 'commodity_presence')?.status], [0.5, 'unknown']);
    }
  });
});

describe('a commodity without a model', () => {
  it('is evaluated by the plantation mask, without country and latitude limits, with a warning', () => {
    const result = rate(pointAt(10.1234, 52.1234), inCountry('DE', 'Germany'), {
      commodity: null,
      commodityText: 'banana',
    });
    assert.deepEqual(
      [result.commodity_type, result.commodity_presence, result.confidence_level, codes(result)],
      ['banana', 1, 'high', ['commodity_fallback']],
    );
    assert.match(result.primary_warning ?? '', /^"banana" has no detection model/);
  });

  it('runs every other check and leaves the level to the score where no mask covers the place', () => {
    const result = rate(riau, { plantationShare: () => null }, { commodity: null, commodityText: null });
    assert.deepEqual(
      [
        result.commodity_type,
        result.commodity_presence,
        result.confidence_score,
        result.confidence_level,
        result.road_access,
      ],
      [null, 0, 0.5, 'medium', 1],
    );
  });
});
