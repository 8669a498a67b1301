import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { createBatchSummary, type PartSummary } from './batch-summary.ts';
import { madeUpRecord, madeUpStatistics, UNKNOWN } from '../../test/memory/collections.ts';
import { CONFIDENCES, type PlotRecord } from './plot-record.ts';

const record = fc.record({
  locationType: fc.constantFrom('plot' as const, 'facility' as const),
  confidence: fc.option(fc.constantFrom(...CONFIDENCES)),
  statistics: fc.option(fc.constant(madeUpStatistics())),
  problem: fc.option(fc.constant('no geometry')),
  reasons: fc.array(fc.constantFrom('plots fail a', 'constructor', '__proto__')),
});

it('a batch counts the same whole as in parts that went through JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.array(record)), (parts) => {
      const whole = createBatchSummary();
      const merged = createBatchSummary();
      let number = 0;
      for (const part of parts) {
        const own = createBatchSummary();
        for (const { reasons, ...rest } of part) {
          const one: PlotRecord = {
            ...rest,
            number: number++,
            feature: { type: 'Feature', geometry: null, properties: {} },
          };
          whole.add(one, reasons);
          own.add(one, reasons);
        }
        merged.merge(JSON.parse(JSON.stringify(own.result())) as PartSummary);
      }
      assert.deepEqual(JSON.stringify(merged.result().counts), JSON.stringify(whole.result().counts));
      assert.deepEqual(sorted(merged.result().confidence), sorted(whole.result().confidence));
      assert.deepEqual(sorted(merged.result().reasons), sorted(whole.result().reasons));
      assert.equal(whole.result().counts.locations, number);
    }),
  );
});

it('counts as measured the plots that some dataset measured, not those that all of them left unknown', () => {
  const summary = createBatchSummary();
  const none = { baseline: UNKNOWN, losses: [UNKNOWN], biomass: UNKNOWN, diversity: UNKNOWN };
  summary.add(madeUpRecord(0, { statistics: madeUpStatistics() }), []);
  summary.add(madeUpRecord(1, { statistics: madeUpStatistics(none) }), []);
  summary.add(madeUpRecord(2, { statistics: madeUpStatistics({ ...none, biomass: madeUpStatistics().biomass }) }), []);
  assert.equal(summary.result().counts.measured, 2);
});

function sorted(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
