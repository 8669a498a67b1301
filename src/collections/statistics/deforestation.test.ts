import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { ByYear, Losses, Measured, PlotStatistics } from '../plot-record.ts';
import { checkDeforestation } from './deforestation.ts';

const MASK = { dataset: 'mask', version: '3', synthetic: false } as const;
const PERIOD = { start: '2020-12-31', end: '2024-12-31' };
const UNKNOWN = { status: 'unknown', reason: 'no dataset covers the plot' } as const;

function forest(forestHa: number, coveredShare = 1): PlotStatistics['baseline'] {
  return { status: 'measured', ...MASK, coveredShare, forestHa };
}

function losses(
  lossHa: ByYear,
  inBaselineHa: ByYear | null,
  change: Partial<Losses & { dataset: string; coveredShare: number }> = {},
): Measured<Losses> {
  return {
    status: 'measured',
    dataset: 'gfc',
    version: '1.12',
    synthetic: false,
    coveredShare: 1,
    lossHa,
    inBaselineHa,
    years: [2001, 2024],
    ...change,
  };
}

describe('checkDeforestation', () => {
  it('gives what was lost inside the forest of 2020, and when', () => {
    const loss = losses({ 2015: 1, 2021: 0.54, 2023: 0.2 }, { 2015: 0.1, 2021: 0.5, 2023: 0.1 });
    const check = checkDeforestation({ baseline: forest(3.2), losses: [loss] }, PERIOD);
    assert.deepEqual(check, {
      status: 'measured',
      reason: null,
      noncompliance_area_ha: 0.6,
      deforestation_start: '2021-01-01',
      deforestation_end: '2023-12-31',
      baseline_forest_ha: 3.2,
      years_looked_at: { from: 2021, to: 2024 },
      loss_ha_by_year: { 2021: 0.54, 2023: 0.2 },
      loss_in_baseline_ha_by_year: { 2021: 0.5, 2023: 0.1 },
      agreement: 'single',
      datasets: [
        { role: 'forest-mask', ...MASK, covered_share: 1 },
        {
          role: 'loss-year',
          dataset: 'gfc',
          version: '1.12',
          synthetic: false,
          noncompliance_area_ha: 0.6,
          covered_share: 1,
        },
      ],
    });
  });

  it('never counts years up to 2020, however early the period begins', () => {
    const loss = losses({ 2018: 2, 2020: 1, 2022: 0.3 }, { 2018: 2, 2020: 1, 2022: 0.3 });
    const check = checkDeforestation(
      { baseline: forest(3), losses: [loss] },
      { start: '2017-01-01', end: '2024-12-31' },
    );
    assert.equal(check.noncompliance_area_ha, 0.3);
    assert.equal(check.deforestation_start, '2022-01-01');
    assert.deepEqual(check.loss_ha_by_year, { 2018: 2, 2020: 1, 2022: 0.3 });
  });

  it('counts a year of which any day lies in the period', () => {
    const loss = losses({ 2021: 1, 2022: 2, 2023: 4, 2024: 8 }, { 2021: 1, 2022: 2, 2023: 4, 2024: 8 });
    const area = (start: string, end: string) =>
      checkDeforestation({ baseline: forest(16), losses: [loss] }, { start, end }).noncompliance_area_ha;
    assert.equal(area('2021-12-31', '2023-12-31'), 6);
    assert.equal(area('2021-12-30', '2024-01-01'), 15);
    assert.equal(area('2024-06-01', '2024-06-30'), 8);
  });

  it('is 0 and says so where nothing was lost, whatever the baseline', () => {
    const check = checkDeforestation({ baseline: UNKNOWN, losses: [losses({ 2019: 1 }, null)] }, PERIOD);
    assert.deepEqual([check.status, check.noncompliance_area_ha, check.agreement], ['measured', 0, 'single']);
    assert.equal(check.baseline_forest_ha, null);
    assert.equal(check.deforestation_start, null);
  });

  it('is 0 where there was no forest, whatever is lost', () => {
    const check = checkDeforestation({ baseline: forest(0), losses: [UNKNOWN] }, PERIOD);
    assert.deepEqual([check.status, check.noncompliance_area_ha, check.agreement], ['measured', 0, null]);
    const partly = checkDeforestation({ baseline: forest(0, 0.6), losses: [UNKNOWN] }, PERIOD);
    assert.deepEqual([partly.status, partly.noncompliance_area_ha], ['unknown', null]);
  });

  it('is unknown, never 0, where the baseline or the losses are', () => {
    const noBaseline = checkDeforestation({ baseline: UNKNOWN, losses: [losses({ 2022: 1 }, null)] }, PERIOD);
    assert.deepEqual([noBaseline.status, noBaseline.noncompliance_area_ha], ['unknown', null]);
    assert.match(noBaseline.reason ?? '', /Forest on 2020-12-31 is unknown: no dataset covers the plot/);
    assert.deepEqual(noBaseline.loss_ha_by_year, { 2022: 1 });
    const noLosses = checkDeforestation({ baseline: forest(2), losses: [UNKNOWN] }, PERIOD);
    assert.deepEqual(
      [noLosses.status, noLosses.noncompliance_area_ha, noLosses.loss_ha_by_year],
      ['unknown', null, null],
    );
    assert.match(noLosses.reason ?? '', /Losses are unknown/);
  });

  it('is unknown, never 0, of a period without a year after the cut-off', () => {
    const statistics = { baseline: forest(3), losses: [losses({ 2018: 1, 2023: 1 }, { 2018: 1, 2023: 1 })] };
    for (const [start, end] of [
      ['2017-01-01', '2019-12-31'],
      ['2017-01-01', '2020-12-31'],
      ['2020-12-31', '2020-12-31'],
      ['2022-12-31', '2022-12-31'],
    ] as const) {
      const check = checkDeforestation(statistics, { start, end });
      assert.deepEqual([check.status, check.noncompliance_area_ha, check.agreement], ['unknown', null, null], end);
      assert.equal(check.reason, `The period after ${start} up to ${end} contains no year after 2020-12-31.`);
    }
    const early = { start: '2017-01-01', end: '2019-12-31' };
    assert.deepEqual(checkDeforestation(statistics, early).loss_ha_by_year, { 2018: 1 });
    const treeless = checkDeforestation({ ...statistics, baseline: forest(0) }, early);
    assert.deepEqual([treeless.status, treeless.noncompliance_area_ha], ['measured', 0]);
  });

  it('names the part of plot and period that is not covered', () => {
    const loss = losses({ 2021: 1 }, { 2021: 1 }, { coveredShare: 0.5 });
    const check = checkDeforestation(
      { baseline: forest(2, 0.9), losses: [loss] },
      { start: '2020-12-31', end: '2026-11-21' },
    );
    assert.equal(check.status, 'partial');
    assert.match(
      check.reason ?? '',
      /mask covers 90.0 % of the plot.*gfc covers 50.0 %.*from 2001 to 2024; the request was for 2020-12-31 to 2026-11-21/,
    );
  });

  it('states the years that were looked at, and says nothing of the others', () => {
    const statistics = { baseline: forest(3), losses: [losses({ 2022: 1 }, { 2022: 1 })] };
    const years = (start: string, end: string) => checkDeforestation(statistics, { start, end }).years_looked_at;
    assert.deepEqual(years('2020-12-31', '2026-11-23'), { from: 2021, to: 2024 });
    assert.deepEqual(years('1999-06-01', '2022-03-01'), { from: 2001, to: 2022 });
    assert.deepEqual(years('2024-12-30', '2026-11-23'), { from: 2024, to: 2024 });
    const later = checkDeforestation(statistics, { start: '2024-12-31', end: '2026-11-23' });
    assert.deepEqual(
      [later.years_looked_at, later.loss_ha_by_year, later.loss_in_baseline_ha_by_year, later.noncompliance_area_ha],
      [null, null, null, null],
    );
    assert.deepEqual([later.status, later.agreement], ['unknown', null]);
    assert.match(later.reason ?? '', /gfc covers losses from 2001 to 2024/);
    const treeless = checkDeforestation(
      { ...statistics, baseline: forest(0) },
      { start: '2024-12-31', end: '2026-11-23' },
    );
    assert.deepEqual([treeless.status, treeless.noncompliance_area_ha], ['measured', 0]);
    assert.equal(checkDeforestation({ baseline: forest(3), losses: [UNKNOWN] }, PERIOD).years_looked_at, null);
  });

  it('reports whether datasets of losses agree', () => {
    const clear = losses({ 2021: 0.3 }, {}, { dataset: 'radd' });
    const found = losses({ 2021: 1 }, { 2021: 0.7 });
    const more = losses({ 2022: 2 }, { 2022: 2 }, { dataset: 'tmf' });
    const agreement = (...all: Measured<Losses>[]) =>
      checkDeforestation({ baseline: forest(2), losses: all }, PERIOD).agreement;
    assert.equal(agreement(found, more), 'agree');
    assert.equal(agreement(clear, clear), 'agree');
    assert.equal(agreement(found, clear), 'disagree');
    assert.equal(agreement(UNKNOWN, found), 'single');
    const check = checkDeforestation({ baseline: forest(2), losses: [UNKNOWN, found, more] }, PERIOD);
    assert.equal(check.noncompliance_area_ha, 0.7);
    assert.deepEqual(
      check.datasets.map(({ dataset }) => dataset),
      ['mask', 'gfc', 'tmf'],
    );
  });

  it('keeps the least area from vanishing by rounding', () => {
    const loss = losses({ 2021: 0.00001 }, { 2021: 0.00001 });
    assert.equal(checkDeforestation({ baseline: forest(1), losses: [loss] }, PERIOD).noncompliance_area_ha, 0.0001);
  });

  it('never gives more for a shorter period', () => {
    const hectares = fc.dictionary(
      fc.integer({ min: 2001, max: 2024 }).map(String),
      fc.double({ min: 0, max: 9, noNaN: true }),
    );
    const day = fc.integer({ min: 2001, max: 2026 }).map((year) => `${year}-06-15`);
    fc.assert(
      fc.property(hectares, day, day, day, (lossHa, a, b, c) => {
        const [start, middle, end] = [a, b, c].toSorted() as [string, string, string];
        const statistics = { baseline: forest(100), losses: [losses(lossHa, lossHa)] };
        const long = checkDeforestation(statistics, { start, end });
        const short = checkDeforestation(statistics, { start, end: middle });
        assert.ok((short.noncompliance_area_ha ?? 0) <= (long.noncompliance_area_ha ?? 0) + 1e-3);
      }),
    );
  });
});
