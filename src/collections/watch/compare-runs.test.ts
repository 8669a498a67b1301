import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BATCH_OPTIONS, madeUpRecord, madeUpStatistics, measured } from '../../../test/memory/collections.ts';
import type { PlotRecord } from '../plot-record.ts';
import { compareRuns } from './compare-runs.ts';

const OPTIONS = { ...BATCH_OPTIONS, monitoringEnd: '2024-12-31' };
const COUNTS = { locations: 5, plots: 4, facilities: 1, measured: 3, problems: 1 };
const RUNS = {
  before: {
    id: 'first',
    options: { ...OPTIONS, monitoringEnd: '2021-12-31' },
    counts: COUNTS,
    completedAt: new Date(0),
  },
  after: { id: 'second', options: OPTIONS, counts: COUNTS, completedAt: new Date(1) },
};
const NO_LOSS = madeUpStatistics({
  losses: [measured({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] as const })],
});

async function* listed(records: readonly PlotRecord[]): AsyncGenerator<PlotRecord, void> {
  yield* records;
}

function compared(before: readonly PlotRecord[], after: readonly PlotRecord[], signal = new AbortController().signal) {
  return compareRuns(RUNS, { before: listed(before), after: listed(after) }, signal);
}

describe('two batches of a collection', () => {
  it('are compared plot by plot, each of which is in one count', async () => {
    const broken = { statistics: null, problem: 'It crashed.' };
    const { counts, changes, unmeasured, period } = await compared(
      [
        madeUpRecord(0, { statistics: NO_LOSS, properties: { source_row: 2 } }),
        madeUpRecord(1),
        madeUpRecord(2),
        madeUpRecord(3, broken),
        madeUpRecord(4),
        madeUpRecord(6, { locationType: 'facility' }),
      ],
      [
        madeUpRecord(0, { properties: { source_row: 2 } }),
        madeUpRecord(1),
        madeUpRecord(2, broken),
        madeUpRecord(3, broken),
        madeUpRecord(5),
        madeUpRecord(6, { locationType: 'facility' }),
      ],
    );
    assert.equal(period.monitoringEnd, '2024-12-31');
    assert.deepEqual(counts, {
      plots: 4,
      unchanged: 2,
      changed: 1,
      worse: 1,
      better: 0,
      not_measured: 1,
      newly_not_measured: 1,
      onlyBefore: 1,
      onlyAfter: 1,
    });
    assert.deepEqual(
      changes.map(({ row, plot, direction }) => [row, plot, direction]),
      [[2, 'P0', 'worse']],
    );
    assert.deepEqual(
      unmeasured.map(({ row, plot, reasons }) => [row, plot, reasons]),
      [[3, 'P2', ['It crashed.']]],
    );
  });

  it('are not compared where the file is read otherwise, so that another plot stands in a place', async () => {
    const { counts, changes } = await compared(
      [madeUpRecord(0, { statistics: NO_LOSS, lon: 1 }), madeUpRecord(1, { lon: 2 })],
      [madeUpRecord(0, { lon: 2 }), madeUpRecord(1, { lon: 2, properties: { location_id: 'another id' } })],
    );
    const { plots, unchanged, onlyBefore, onlyAfter } = counts;
    assert.deepEqual(
      { plots, unchanged, onlyBefore, onlyAfter },
      { plots: 1, unchanged: 1, onlyBefore: 1, onlyAfter: 1 },
    );
    assert.deepEqual(changes, []);
  });

  it('are not gone through for somebody who has left', async () => {
    await assert.rejects(compared([madeUpRecord(0)], [madeUpRecord(0)], AbortSignal.abort()), { name: 'AbortError' });
  });
});
