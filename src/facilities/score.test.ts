import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { Indicator } from './evidence/evidence.ts';
import { levelOf, penaltyHundredths, scoreHundredths } from './score.ts';

describe('penaltyHundredths', () => {
  const table: readonly (readonly [Indicator, number, number])[] = [
    ['commodity_presence', 0, 50],
    ['commodity_presence', 0.01, 25],
    ['commodity_presence', 0.5, 25],
    ['commodity_presence', 0.99, 25],
    ['commodity_presence', 1, 0],
    ['poi_presence', 0, 20],
    ['poi_presence', 1, 0],
    ['building_presence', 0, 15],
    ['building_presence', 0.12, 0],
    ['building_presence', 0.23, 0],
    ['road_access', 0, 15],
    ['road_access', 1, 0],
    ['high_density', 1, 10],
    ['high_density', 0, 0],
    ['water_access', 0, 0],
    ['port_proximity', 0, 0],
    ['producer_confirmation', 0, 0],
    ['country', 0, 0],
    ['latitude', 0, 0],
  ];
  for (const [indicator, value, hundredths] of table) {
    it(`takes ${hundredths} for ${indicator} = ${value}`, () =>
      assert.equal(penaltyHundredths(indicator, value), hundredths));
  }
});

describe('the score', () => {
  const examples: readonly (readonly [readonly number[], number, string])[] = [
    [[], 100, 'high'],
    [[10, 20], 70, 'high'],
    [[15, 15], 70, 'high'],
    [[25, 10], 65, 'medium'],
    [[25, 15, 15], 45, 'medium'],
    [[20, 15, 15, 10], 40, 'low'],
    [[50], 50, 'medium'],
    [[50, 20, 15, 15], 0, 'low'],
    [[50, 20, 15, 15, 10], 0, 'low'],
  ];
  for (const [penalties, score, level] of examples) {
    it(`is ${score / 100} and ${level} after ${penalties.join(', ') || 'no penalty'}`, () => {
      assert.equal(scoreHundredths(penalties), score);
      assert.equal(levelOf(score, false), level);
    });
  }

  it('stays from 0 to 100 and falls with every penalty', () => {
    const penalty = fc.constantFrom(0, 10, 15, 20, 25, 50);
    fc.assert(
      fc.property(fc.array(penalty), penalty, (penalties, more) => {
        const score = scoreHundredths(penalties);
        assert.ok(score >= 0 && score <= 100 && Number.isInteger(score));
        assert.ok(scoreHundredths([...penalties, more]) <= score);
      }),
    );
  });

  it('is low when a check failed, whatever it is', () => {
    for (const score of [0, 45, 70, 100]) assert.equal(levelOf(score, true), 'low');
  });
});
