import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  madeUpCollection,
  madeUpRecord,
  madeUpStatistics,
  measured,
  UNKNOWN,
} from '../../../test/memory/collections.ts';
import type { PlotRecord } from '../plot-record.ts';
import { biodiversityView } from './biodiversity-view.ts';
import { deforestationView } from './deforestation-view.ts';
import { emissionsView } from './emissions-view.ts';
import { plotsView } from './plots-view.ts';
import { featureOf } from './view.ts';

const PERIOD = { start: '2017-01-01', end: '2024-12-31' };
const COLLECTION = madeUpCollection();
const emissions = (record: PlotRecord) => emissionsView.properties(record, COLLECTION, PERIOD);
const deforestation = (record: PlotRecord) => deforestationView.properties(record, COLLECTION, PERIOD);
const diversity = (record: PlotRecord) => biodiversityView.properties(record, COLLECTION, PERIOD);
const BROKEN = madeUpRecord(0, { statistics: null, problem: 'The ring is open.', properties: { area_ha: 2 } });

describe('emissionsView', () => {
  it('gives biomass by year and the emissions of its change', () => {
    const seen = emissions(madeUpRecord(0));
    // 200 t lost in 5 years: 40 t of dry matter a year, 0.47 of it carbon, 44/12 of that CO2.
    assert.equal(seen['luc_tco2eyear'], 68.9333);
    assert.equal(seen['luc_tco2ehayear'], 6.8933);
    assert.deepEqual(seen['agb_t_by_year'], { 2017: 1000, 2020: 900, 2022: 800 });
    assert.deepEqual([seen['agb_t'], seen['emissions_from_year'], seen['emissions_to_year']], [800, 2017, 2022]);
  });

  it('is null with a reason where biomass is unknown, known at one time only, or was not measured', () => {
    const unknown = emissions(madeUpRecord(0, { statistics: madeUpStatistics({ biomass: UNKNOWN }) }));
    assert.deepEqual([unknown['luc_tco2eyear'], unknown['emissions_reason']], [null, UNKNOWN.reason]);
    const once = emissions(
      madeUpRecord(0, { statistics: madeUpStatistics({ biomass: measured({ tonnes: { 2020: 5 } }) }) }),
    );
    assert.deepEqual([once['luc_tco2eyear'], once['agb_t_by_year']], [null, { 2020: 5 }]);
    assert.match(String(once['emissions_reason']), /wanted maps of two years/);
    const broken = emissions(BROKEN);
    assert.deepEqual(
      [broken['luc_tco2eyear'], broken['emissions_reason'], broken['area_ha']],
      [null, 'The ring is open.', 2],
    );
  });

  it('adds exactly the fields it names', () => {
    assert.deepEqual(Object.keys(emissions(madeUpRecord(0))), [...emissionsView.fields]);
    assert.deepEqual(Object.keys(emissions(BROKEN)), [...emissionsView.fields]);
  });
});

describe('biodiversityView', () => {
  it('gives the score with what it was measured on', () => {
    const seen = diversity(madeUpRecord(0));
    assert.deepEqual(
      [seen['diversity_score'], seen['diversity_basis'], seen['diversity_year']],
      [0.25, 'embeddings', 2024],
    );
  });

  it('is null with a reason where it is unknown', () => {
    const seen = diversity(madeUpRecord(0, { statistics: madeUpStatistics({ diversity: UNKNOWN }) }));
    assert.deepEqual([seen['diversity_score'], seen['diversity_reason']], [null, UNKNOWN.reason]);
    assert.equal(diversity(BROKEN)['diversity_reason'], 'The ring is open.');
    assert.equal(diversity(madeUpRecord(0, { locationType: 'facility' }))['diversity_status'], null);
  });

  it('adds exactly the fields it names', () => {
    assert.deepEqual(Object.keys(diversity(madeUpRecord(0))), [...biodiversityView.fields]);
  });
});

describe('the group of a location', () => {
  it('is the same in every view', () => {
    const noLoss = measured({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] as const });
    const records = [
      madeUpRecord(0, { fit: true }),
      madeUpRecord(1, { fit: true, statistics: madeUpStatistics({ losses: [noLoss] }) }),
      madeUpRecord(2, { fit: true, statistics: null }),
      madeUpRecord(3, { fit: false }),
      madeUpRecord(4, { locationType: 'facility' }),
      madeUpRecord(5),
    ];
    const groups = [plotsView, deforestationView].map((view) =>
      records.map((record) => view.properties(record, COLLECTION, PERIOD)['plot_group']),
    );
    assert.deepEqual(groups[0], ['deforested', 'cleared', 'open', 'left_out', 'facility', null]);
    assert.deepEqual(groups[1], groups[0]);
  });
});

describe('the area of a plot', () => {
  it('is what its file states, and never 0, where its geometry has no ground to measure', () => {
    const statistics = madeUpStatistics({ areaHa: 0, baseline: UNKNOWN, losses: [UNKNOWN] });
    for (const [stated, expected] of [
      [2.5, 2.5],
      [null, null],
    ]) {
      const seen = deforestation(madeUpRecord(0, { statistics, properties: { area_ha: stated } }));
      assert.deepEqual([seen['area_ha'], seen['measured_ground'], seen['check_status']], [expected, null, 'unknown']);
    }
  });
});

describe('featureOf', () => {
  it('keeps id, geometry and properties, and computed ones win', () => {
    const record = madeUpRecord(7, { properties: { area_ha: 99, problem: 'own', source: { a: 1 } } });
    const feature = featureOf(
      { ...record, feature: { ...record.feature, id: 0 } },
      COLLECTION,
      biodiversityView,
      PERIOD,
    );
    assert.equal(feature.id, 0);
    assert.deepEqual(feature.geometry, record.feature.geometry);
    assert.deepEqual(
      ['area_ha', 'problem', 'source', 'location_number', 'location_id'].map((name) => feature.properties[name]),
      [10, null, { a: 1 }, 7, 'P7'],
    );
  });

  it('says that nobody has decided only where reviews were looked for', () => {
    const stateOf = (review?: PlotRecord['review']) =>
      featureOf(madeUpRecord(0, review === undefined ? {} : { review }), COLLECTION, plotsView, PERIOD).properties[
        'review_state'
      ];
    const review = { state: 'rejected', note: '', by: 'ana@example.org', at: '2026-02-03T04:05:06.000Z' } as const;
    assert.deepEqual([stateOf(), stateOf(null), stateOf(review)], [undefined, 'open', 'rejected']);
  });
});
