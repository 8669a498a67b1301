import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMODITIES, COMMODITY_RULES, isProducer, latitudeFit, type CommodityRules } from './commodities.ts';

describe('isProducer', () => {
  const counts = { rubber: 16, palm: 21, cocoa: 15, coffee: 26, soy: 5 } as const;
  for (const [commodity, count] of Object.entries(counts)) {
    it(`has as many countries of ${commodity} as the specification lists`, () => {
      const { countries }: CommodityRules = COMMODITY_RULES[commodity as keyof typeof counts];
      assert.ok('only' in countries);
      assert.equal(countries.only.size, count);
    });
  }

  it('evaluates by code', () => {
    assert.ok(
      isProducer('cocoa', 'CI') && isProducer('palm', 'VE') && isProducer('rubber', 'NP') && isProducer('coffee', 'LK'),
    );
    assert.ok(!isProducer('palm', 'IN') && !isProducer('cocoa', 'ID') && !isProducer('soy', 'US'));
  });

  it('lets timber grow in every country with forest, and cattle live in all', () => {
    for (const iso2 of ['FI', 'BR', 'ID', 'KW', 'XK']) assert.ok(isProducer('timber', iso2));
    for (const iso2 of ['QA', 'MC', 'AQ', 'NR', 'VA'])
      assert.ok(!isProducer('timber', iso2) && isProducer('cattle', iso2));
  });
});

describe('latitudeFit', () => {
  const table = [
    ['rubber', 10, 'optimal'],
    ['rubber', -10.01, 'viable'],
    ['rubber', 20, 'viable'],
    ['rubber', 20.01, 'marginal'],
    ['rubber', -30, 'marginal'],
    ['rubber', 30.01, 'beyond'],
    ['palm', 10, 'optimal'],
    ['palm', -15, 'viable'],
    ['palm', 16, 'marginal'],
    ['palm', 20, 'marginal'],
    ['palm', -20.01, 'beyond'],
    ['cocoa', 20, 'optimal'],
    ['cocoa', 25, 'viable'],
    ['cocoa', 30, 'marginal'],
    ['cocoa', 31, 'beyond'],
    ['coffee', -25, 'optimal'],
    ['coffee', 35, 'viable'],
    ['coffee', 40, 'marginal'],
    ['coffee', 41, 'beyond'],
    ['soy', 30, 'optimal'],
    ['soy', 45, 'viable'],
    ['soy', 50, 'marginal'],
    ['soy', 51, 'beyond'],
    ['timber', 30, 'optimal'],
    ['timber', -60, 'optimal'],
    ['timber', 20, 'viable'],
    ['timber', 70, 'viable'],
    ['timber', 5, 'marginal'],
    ['timber', 72, 'marginal'],
    ['timber', 80, 'beyond'],
    ['cattle', 0, 'optimal'],
    ['cattle', 89, 'optimal'],
  ] as const;
  it('follows the specification table, ends included', () => {
    for (const [commodity, latitude, fit] of table)
      assert.equal(latitudeFit(commodity, latitude), fit, `${commodity} at ${latitude}`);
  });

  it('has bands that widen outwards', () => {
    for (const commodity of COMMODITIES) {
      const { latitude }: CommodityRules = COMMODITY_RULES[commodity];
      if (latitude !== null)
        assert.ok(latitude.optimal[1] <= latitude.viable[1] && latitude.viable[1] <= latitude.unlikelyBeyond);
    }
  });
});
