import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { PlotStatistics } from '../plot-record.ts';
import { measureEmissions, type EmissionsMeasured } from './emissions.ts';

const USE = { dataset: 'agb', version: '6.0', synthetic: false } as const;
const PERIOD = { start: '2017-01-01', end: '2022-12-31' };

function plot(
  tonnes: Record<string, number>,
  areaHa = 10,
  coveredShare = 1,
): Pick<PlotStatistics, 'biomass' | 'areaHa'> {
  return { areaHa, biomass: { status: 'measured', ...USE, coveredShare, tonnes } };
}

function measured(...question: Parameters<typeof measureEmissions>): EmissionsMeasured {
  const answer = measureEmissions(...question);
  assert.equal(answer.status, 'measured');
  return answer as EmissionsMeasured;
}

test('gives the stock difference over the years between two maps as CO2', () => {
  // 1,000 t of dry matter over 5 years: 200 t a year, 94 t of carbon, 344.67 t of CO2.
  const answer = measured(plot({ 2017: 3000, 2022: 2000 }), PERIOD);
  assert.equal(answer.luc_tco2eyear, 344.6667);
  assert.equal(answer.luc_tco2ehayear, 34.4667);
  assert.deepEqual([answer.from_year, answer.to_year, answer.dataset], [2017, 2022, 'agb']);
});

test('is below 0 where biomass grew, and 0 where it stayed', () => {
  assert.equal(measured(plot({ 2017: 2000, 2022: 3000 }), PERIOD).luc_tco2eyear, -344.6667);
  assert.ok(Object.is(measured(plot({ 2017: 2000, 2022: 2000 }), PERIOD).luc_tco2eyear, 0));
});

test('includes roots where their share is given', () => {
  const answer = measured(plot({ 2017: 3000, 2022: 2000 }), PERIOD, { rootToShoot: 0.24 });
  assert.equal(answer.luc_tco2eyear, 427.3867);
});

test('compares the last maps not after the beginning and the end of the period', () => {
  const tonnes = { 2010: 900, 2015: 800, 2020: 500, 2022: 400 };
  const years = (start: string, end: string) => {
    const { from_year: from, to_year: to } = measured(plot(tonnes), { start, end });
    return [from, to];
  };
  assert.deepEqual(years('2017-01-01', '2026-05-01'), [2015, 2022]);
  assert.deepEqual(years('2020-12-31', '2022-01-01'), [2020, 2022]);
  assert.deepEqual(years('2001-01-01', '2019-06-30'), [2010, 2015]);
});

test('gives hectares of the ground that was measured', () => {
  assert.equal(measured(plot({ 2017: 3000, 2022: 2000 }, 20, 0.5), PERIOD).luc_tco2ehayear, 34.4667);
});

test('is unknown with a reason where two maps are missing', () => {
  for (const tonnes of [{}, { 2020: 5 }, { 2023: 5, 2024: 6 }]) {
    const answer = measureEmissions(plot(tonnes), PERIOD);
    assert.equal(answer.status, 'unknown');
    assert.match(answer.status === 'unknown' ? answer.reason : '', /wanted maps of two years from 2017-01-01/);
    assert.equal(answer.luc_tco2eyear, null);
  }
});

test('passes on why biomass is unknown', () => {
  const answer = measureEmissions({ areaHa: 1, biomass: { status: 'unknown', reason: 'agb: no answer' } }, PERIOD);
  assert.deepEqual(answer, {
    status: 'unknown',
    reason: 'agb: no answer',
    luc_tco2eyear: null,
    luc_tco2ehayear: null,
  });
});

test('is the same rate for any unit of time and scales with biomass', () => {
  const year = fc.integer({ min: 2001, max: 2030 });
  fc.assert(
    fc.property(year, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 500 }), (from, years, lost) => {
      const period = { start: `${from}-06-01`, end: `${from + years}-06-01` };
      const { luc_tco2eyear: rate } = measured(plot({ [from]: 1000, [from + years]: 1000 - lost }), period);
      assert.ok(Math.abs(rate * years - (lost * 0.47 * 44) / 12) < 1e-3 * years);
    }),
  );
});
