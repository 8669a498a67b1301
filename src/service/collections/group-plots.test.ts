import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BATCH_OPTIONS, madeUpRecord, madeUpStatistics, measured, UNKNOWN } from '../../../test/memory/collections.ts';
import { openGrouping } from './group-plots.ts';

const collection = {
  options: { ...BATCH_OPTIONS, monitoringEnd: '2024-12-31' },
  file: { name: 'plots.geojson', size: 1, sha256: '' },
  createdAt: new Date('2026-01-01'),
};
const SOUND = { country_code: 'GH', supplier_name: 'Ada', area_ha: 2, warnings: [] };
const NOTHING = { baseline: UNKNOWN, losses: [UNKNOWN], biomass: UNKNOWN, diversity: UNKNOWN };
const NO_LOSS = measured({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] as const });

describe('what a location of a batch counts as', () => {
  it('is decided by what was found, and by whether a statement takes it', async () => {
    const group = await openGrouping(collection);
    const counted = (change: Parameters<typeof madeUpRecord>[1]) => {
      const { record, group: name, isMeasured } = group(madeUpRecord(0, { properties: SOUND, ...change }));
      return [name, isMeasured, record.fit];
    };
    assert.deepEqual(counted({}), ['deforested', true, true]);
    assert.deepEqual(counted({ statistics: madeUpStatistics({ losses: [NO_LOSS] }) }), ['cleared', true, true]);
    assert.deepEqual(counted({ statistics: madeUpStatistics(NOTHING) }), ['open', false, true]);
    assert.deepEqual(counted({ statistics: null, problem: 'It crashed.' }), ['open', false, true]);
    assert.deepEqual(counted({ geometry: null, statistics: null, problem: 'No place.' }), ['left_out', false, false]);
    assert.deepEqual(counted({ locationType: 'facility' }), ['facility', false, undefined]);
  });

  it('is not measured where only its biomass is known: nobody knows whether forest was lost', async () => {
    const group = await openGrouping(collection);
    const { biomass } = madeUpStatistics();
    const statistics = madeUpStatistics({ ...NOTHING, biomass });
    assert.deepEqual(group(madeUpRecord(0, { properties: SOUND, statistics })).isMeasured, false);
  });
});
