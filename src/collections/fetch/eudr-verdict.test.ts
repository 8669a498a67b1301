import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  madeUpCollection,
  madeUpRecord,
  madeUpStatistics,
  measured,
  UNKNOWN,
} from '../../../test/memory/collections.ts';
import type { Losses, Measured, PlotRecord, PlotStatistics } from '../plot-record.ts';
import { deforestationView } from './deforestation-view.ts';

const PERIOD = { start: '2020-12-31', end: '2024-12-31' };

function seen(record: PlotRecord, period = PERIOD) {
  return deforestationView.properties(record, madeUpCollection({ locationsConfidence: 'medium' }), period);
}

function verdict(change: Partial<PlotStatistics>, period = PERIOD): readonly unknown[] {
  const { eudr_status, risk_level, noncompliance_area_ha, eudr_comment } = seen(
    madeUpRecord(0, { statistics: madeUpStatistics(change) }),
    period,
  );
  return [eudr_status, risk_level, noncompliance_area_ha, eudr_comment];
}

const losses = (inBaselineHa: Losses['inBaselineHa'], lossHa = inBaselineHa ?? {}, share = 1) =>
  measured<Losses>({ lossHa, inBaselineHa, years: [2001, 2024] }, share);

describe('deforestationView', () => {
  it('says what was lost, of what, and when', () => {
    assert.deepEqual(verdict({}), [
      'deforestation_found',
      'high',
      0.5,
      '0.5 ha of 8 ha of forest of 2020-12-31 lost in 2022.',
    ]);
  });

  it('needs more information where the loss is smaller than a pixel, unless it is much of the plot', () => {
    const sliver = { losses: [losses({ 2021: 0.02, 2023: 0.01 })] };
    const [status, risk, area, comment] = verdict(sliver);
    assert.deepEqual([status, risk, area], ['more_information_needed', 'medium', 0.03]);
    assert.match(String(comment), /^0\.03 ha .* from 2021 to 2023\. That is less than one pixel/);
    assert.deepEqual(verdict({ ...sliver, areaHa: 0.05 }).slice(0, 2), ['deforestation_found', 'high']);
  });

  it('clears a plot only where all of it and of the period was looked at', () => {
    assert.deepEqual(verdict({ losses: [losses({})] }), [
      'no_deforestation_found',
      'low',
      0,
      '8 ha of forest on 2020-12-31, none lost after it.',
    ]);
    assert.deepEqual(verdict({ losses: [losses({}, {}, 0.5)] }).slice(0, 3), ['more_information_needed', 'medium', 0]);
    assert.deepEqual(verdict({ baseline: measured({ forestHa: 0 }), losses: [losses({}, { 2022: 1 })] }).slice(0, 2), [
      'no_deforestation_found',
      'low',
    ]);
  });

  it('evaluates by what is known while the maps of the last year are still to come, and says so', () => {
    const seenUntil = (end: string) => verdict({ losses: [losses({})] }, { ...PERIOD, end });
    assert.deepEqual(seenUntil('2025-11-21').slice(0, 2), ['no_deforestation_found', 'low']);
    assert.match(String(seenUntil('2025-11-21')[3]), /Losses after 2024-12-31 are not known yet\.$/);
    assert.deepEqual(seenUntil('2026-01-01').slice(0, 2), ['more_information_needed', 'medium']);
    const late = verdict({ losses: [losses({})] }, { start: '2024-12-31', end: '2025-11-21' });
    assert.deepEqual(late.slice(0, 3), ['unknown', 'unknown', null], 'no year of the period was looked at');
    const { check_status, monitored_until } = seen(madeUpRecord(0), { ...PERIOD, end: '2025-11-21' });
    assert.deepEqual([check_status, monitored_until], ['partial', '2024-12-31']);
  });

  it('needs more information where datasets disagree', () => {
    const [status, risk, , comment] = verdict({
      losses: [losses({}), { ...losses({ 2021: 1 }), dataset: 'radd' } as Measured<Losses>],
    });
    assert.deepEqual([status, risk], ['more_information_needed', 'medium']);
    assert.match(String(comment), /radd did/);
  });

  it('never shows unknown as 0', () => {
    assert.deepEqual(verdict({ baseline: UNKNOWN, losses: [UNKNOWN] }).slice(0, 3), ['unknown', 'unknown', null]);
    const broken = seen(madeUpRecord(1, { statistics: null, problem: 'The ring is open.' }));
    assert.deepEqual(
      [broken['eudr_status'], broken['noncompliance_area_ha'], broken['baseline_forest_ha'], broken['check_reason']],
      ['unknown', null, null, 'The ring is open.'],
    );
  });

  it('does not evaluate a facility', () => {
    const facility = seen(madeUpRecord(1, { locationType: 'facility' }));
    assert.deepEqual(
      [facility['eudr_status'], facility['risk_level'], facility['check_status']],
      ['not_a_plot', null, null],
    );
  });

  it('says so where data is synthetic', () => {
    const made = { ...losses({}), synthetic: true };
    assert.match(String(verdict({ losses: [made] })[3]), /synthetic data that describes no real place/);
  });

  it('adds the confidence that is stored with the collection', () => {
    assert.equal(seen(madeUpRecord(0))['locations_confidence'], 'medium');
  });

  it('adds exactly the fields it names', () => {
    assert.deepEqual(Object.keys(seen(madeUpRecord(0))), [...deforestationView.fields]);
    assert.deepEqual(Object.keys(seen(madeUpRecord(0, { statistics: null }))), [...deforestationView.fields]);
  });
});
