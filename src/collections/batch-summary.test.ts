import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { createBatchSummary, type Counted, type PartSummary } from './batch-summary.ts';
import { madeUpRecord, madeUpStatistics } from '../../test/memory/collections.ts';
import { PLOT_GROUPS } from './plot-group.ts';
import { CONFIDENCES, type PlotRecord } from './plot-record.ts';

const record = fc.record({
  locationType: fc.constantFrom('plot' as const, 'facility' as const),
  confidence: fc.option(fc.constantFrom(...CONFIDENCES)),
  statistics: fc.option(fc.constant(madeUpStatistics())),
  problem: fc.option(fc.constant('no geometry')),
  counted: fc.record({ group: fc.constantFrom(...PLOT_GROUPS), isMeasured: fc.boolean() }),
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
        for (const { reasons, counted, ...rest } of part) {
          const one: PlotRecord = {
            ...rest,
            number: number++,
            feature: { type: 'Feature', geometry: null, properties: {} },
          };
          whole.add(one, counted, reasons);
          own.add(one, counted, reasons);
        }
        merged.merge(JSON.parse(JSON.stringify(own.result())) as PartSummary);
      }
      assert.deepEqual(JSON.stringify(merged.result().counts), JSON.stringify(whole.result().counts));
      assert.deepEqual(sorted(merged.result().confidence), sorted(whole.result().confidence));
      assert.deepEqual(sorted(merged.result().reasons), sorted(whole.result().reasons));
      assert.equal(whole.result().counts.locations, number);
      const { groups } = whole.result().counts;
      assert.equal(
        PLOT_GROUPS.reduce((sum, group) => sum + groups![group], 0),
        number,
      );
    }),
  );
});

it('has no groups where a part of an earlier version says nothing of them', () => {
  const summary = createBatchSummary();
  const counted: Counted = { group: 'open', isMeasured: true };
  summary.add(madeUpRecord(0), counted, []);
  assert.equal(summary.result().counts.groups?.open, 1);
  const earlier = { locations: 1, plots: 1, facilities: 0, measured: 1, problems: 0 };
  summary.merge({ counts: earlier, confidence: {}, reasons: {} });
  const { groups, locations, measured } = summary.result().counts;
  assert.deepEqual([groups, locations, measured], [null, 2, 2]);
});

function sorted(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
