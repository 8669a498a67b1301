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

  it('counts nothing when not even the country is known', () => {
    const result = rate(riau, { commodityShare: () => null, whereabouts: () => null });
    assert.deepEqual([result.commodity_presence, result.confidence_level, result.country], [0, 'medium', null]);
  });

  it('does not take a share that is no share', () => {
    for (const share of [Number.NaN, -0.1, 1.1]) {
      const result = rate(riau, { commodityShare: () => answer({ share, detail: '' }) });
      assert.deepEqual([result.commodity_presence, evidenceOf(result, 'commodity_presence')?.status], [0, 'unknown']);
    }
  });
});

describe('a commodity without a model', () => {
  it('is judged by the plantation mask, without country and latitude limits, with a warning', () => {
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
