import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainReceipt } from './explain-receipt.ts';

const line = (indicator: 'poi_presence' | 'road_access' | 'water_access', over = {}) =>
  ({ indicator, status: 'absent', value: 0, penalty: 0, weight: 0, detail: 'None found.', ...over }) as const;

describe('the explanation of a receipt', () => {
  it('takes the penalties off 1.00 and compares the result with the score', () => {
    const evidence = [
      line('poi_presence', { penalty: 0.2, weight: 0.2 }),
      line('road_access', { penalty: 0.15, weight: 0.15, status: 'unknown' }),
      line('water_access', { status: 'unknown' }),
    ];
    const found = explainReceipt({ confidence_score: 0.65, evidence, warnings: [] });
    assert.deepEqual(found.arithmetic, {
      begins_at: 1,
      penalties: [
        { indicator: 'poi_presence', penalty: 0.2 },
        { indicator: 'road_access', penalty: 0.15 },
      ],
      expected_score: 0.65,
      stated_score: 0.65,
      agrees: true,
    });
    assert.deepEqual(found.not_known, ['road_access']);
    assert.match(found.indicators[1]!.means, /not the same as absent/);
    assert.equal(found.indicators[1]!.within_m, 1_000);
    assert.equal(explainReceipt({ confidence_score: 0.9, evidence, warnings: [] }).arithmetic.agrees, false);
  });

  it('says nothing of a score without evidence, and knows no fix of an unknown warning', () => {
    const warnings = [
      { code: 'null_island', message: 'At 0, 0.' },
      { code: 'toString', message: 'x' },
    ];
    const found = explainReceipt({ confidence_score: 0, evidence: [], warnings });
    assert.equal(found.arithmetic.agrees, null);
    assert.match(String(found.warnings[0]!.fix), /real coordinates/);
    assert.equal(found.warnings[1]!.fix, null);
  });
});
