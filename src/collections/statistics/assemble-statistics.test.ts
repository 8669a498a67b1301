import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureBaseline, measureBiomass, measureDiversity, measureLosses } from './assemble-statistics.ts';

const USE = { dataset: 'd', version: '2', synthetic: false } as const;

test('rounds hectares to 100 cm2, names the dataset, and gives the share that is covered', () => {
  assert.deepEqual(measureBaseline({ use: USE, knownHa: 3, areaHa: 4 }, 1.234567891), {
    status: 'measured',
    ...USE,
    coveredShare: 0.75,
    forestHa: 1.234568,
  });
});

test('is unknown where a dataset has no data, and never covers more than all or nothing at all', () => {
  assert.deepEqual(measureBaseline({ use: USE, knownHa: 0, areaHa: 4 }, 0), {
    status: 'unknown',
    reason: 'd has no data there',
  });
  const share = (knownHa: number) => {
    const one = measureBaseline({ use: USE, knownHa, areaHa: 4 }, 0);
    return one.status === 'measured' ? one.coveredShare : null;
  };
  assert.deepEqual([share(4.0001), share(0.0001), share(1e-7)], [1, 0.0001, null]);
});

test('gives years with losses alone, and never more inside forest than in all', () => {
  const byClass = new Float64Array(256);
  const inBaseline = new Float64Array(256);
  byClass.set([10, 0.5, 0, 0.25]);
  inBaseline.set([5, 0.50001, 0, 0.1]);
  const loss = measureLosses({ use: USE, knownHa: 4, areaHa: 4 }, { byClass, inBaseline, years: [2019, 2024] });
  assert.ok(loss.status === 'measured');
  assert.deepEqual(loss.lossHa, { 2019: 0.5, 2021: 0.25 });
  assert.deepEqual(loss.inBaselineHa, { 2019: 0.5, 2021: 0.1 });
  assert.deepEqual(loss.years, [2019, 2024]);
  const alone = measureLosses({ use: USE, knownHa: 4, areaHa: 4 }, { byClass, inBaseline: null, years: [2019, 2024] });
  assert.equal(alone.status === 'measured' ? alone.inBaselineHa : 'x', null);
});

test('leaves out years of biomass that cover less than the others', () => {
  const sums = new Map([
    [2015, { tonnes: 100, knownHa: 4 }],
    [2018, { tonnes: 40, knownHa: 2 }],
    [2020, { tonnes: 90.12345, knownHa: 3.9999 }],
    [2022, { tonnes: 0, knownHa: 0 }],
  ]);
  const biomass = measureBiomass(USE, 4, sums);
  assert.deepEqual(biomass, { status: 'measured', ...USE, coveredShare: 1, tonnes: { 2015: 100, 2020: 90.1235 } });
  assert.equal(measureBiomass(USE, 4, new Map()).status, 'unknown');
});

test('has no diversity of nothing', () => {
  const covered = { use: USE, knownHa: 4, areaHa: 4 };
  const basis = { basis: 'canopy-height', year: 2020 } as const;
  assert.equal(measureDiversity(covered, { score: Number.NaN, ...basis }).status, 'unknown');
  assert.deepEqual(measureDiversity(covered, { score: 1.23456, ...basis }), {
    status: 'measured',
    ...USE,
    coveredShare: 1,
    score: 1.2346,
    ...basis,
  });
});
