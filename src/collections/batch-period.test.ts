import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { batchPeriod, isDate } from './batch-period.ts';
import { CUT_OFF } from '../monitoring-days.ts';

const TODAY = '2026-11-21';
const period = (start?: string, end?: string) => batchPeriod({ start, end }, TODAY);

describe('the period of a batch', () => {
  it('is from 2017 to today where nothing else is requested', () => {
    assert.deepEqual(period(), { monitoringStart: '2017-01-01', monitoringEnd: TODAY });
    assert.deepEqual(period('2019-06-30', '2024-02-29'), {
      monitoringStart: '2019-06-30',
      monitoringEnd: '2024-02-29',
    });
    assert.deepEqual(period('2020-12-30', '2021-01-01'), {
      monitoringStart: '2020-12-30',
      monitoringEnd: '2021-01-01',
    });
  });

  it('begins before the cut-off date and ends after it, no later than today', () => {
    for (const [start, end, field] of [
      [CUT_OFF, undefined, 'monitoring_start'],
      ['2022-01-01', '2023-01-01', 'monitoring_start'],
      [undefined, CUT_OFF, 'monitoring_end'],
      [undefined, '2026-11-22', 'monitoring_end'],
      ['2017-02-29', undefined, 'monitoring_start'],
      ['17-01-01', undefined, 'monitoring_start'],
      ['', undefined, 'monitoring_start'],
      [undefined, '2024-1-1', 'monitoring_end'],
    ] as const) {
      const fault = period(start, end);
      assert.ok('field' in fault, `${start} ${end}`);
      assert.equal(fault.field, field);
      assert.match(fault.detail, new RegExp(`^${field}: wanted .*, got "`));
    }
  });

  it('is refused, never thrown over, for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (start, end) => {
        const found = period(start, end);
        assert.ok('field' in found || (isDate(found.monitoringStart) && found.monitoringStart < found.monitoringEnd));
      }),
    );
  });

  it('takes every day of the calendar', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2020-12-30'), noInvalidDate: true }),
        (date) => {
          assert.ok(!('field' in period(date.toISOString().slice(0, 10))));
        },
      ),
    );
  });
});
