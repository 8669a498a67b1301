import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, noData, options, pointAt, sources } from '../../test/facility-sources.ts';
import { facilityColumns } from './csv-columns.ts';
import type { FacilityOptions } from './options.ts';
import type { ValidatedFacility } from './result.ts';
import type { FacilitySources } from './sources.ts';
import { createSummary } from './summarise.ts';
import { validateFacility } from './validate-facility.ts';

const { signal } = new AbortController();
const riau = pointAt(101.4478, 0.5071);
const citation = (id: string, version: string) => ({
  id,
  version,
  licence: 'CC-BY-4.0',
  attribution: `${id} people`,
  synthetic: false,
});

function result(
  world: FacilitySources = sources(),
  feature: unknown = riau,
  over: Partial<FacilityOptions> = {},
): ValidatedFacility {
  return validateFacility(feature, options(over), world, signal) as ValidatedFacility;
}

function summarise(results: readonly ValidatedFacility[]) {
  const summary = createSummary({ citation });
  for (const one of results) summary.add(one);
  return summary.result();
}

describe('the summary of a collection', () => {
  it('of nothing is all zero', () => {
    assert.deepEqual(summarise([]), {
      total_facilities: 0,
      commodity_presence: 0,
      poi_presence: 0,
      road_access: 0,
      water_access: 0,
      port_proximity: 0,
      high_density: 0,
      confidence_score: 0,
      confidence_level: { high: 0, medium: 0, low: 0, invalid: 0 },
      evidence_coverage: 0,
      confidence_range: null,
      confidence_basis: { verified: 0, partly_verified: 0, unverified: 0 },
      confidence_level_by_basis: {
        verified: { high: 0, medium: 0, low: 0, invalid: 0 },
        partly_verified: { high: 0, medium: 0, low: 0, invalid: 0 },
        unverified: { high: 0, medium: 0, low: 0, invalid: 0 },
      },
      indicator_status: Object.fromEntries(
        [
          'commodity_presence',
          'poi_presence',
          'building_presence',
          'road_access',
          'water_access',
          'port_proximity',
          'high_density',
          'producer_confirmation',
        ].map((name) => [name, { present: 0, absent: 0, unknown: 0 }]),
      ),
      producer_confirmed: { true: 0, false: 0 },
      warnings: [],
      datasets: [],
    });
  });

  it('names and cites every dataset of a union, and links to what is known of its accuracy', () => {
    const dataset = { id: 'heads', version: '1', synthetic: false, about: '/docs/detection-models#plantation-mask' };
    const union = { ...dataset, also: [{ id: 'raster', version: '2' }] };
    const facility = { commodity: null, commodityText: 'tea' };
    const one = result(
      sources({ plantationShare: () => ({ dataset: union, value: { share: 0.3, detail: '' } }) }),
      riau,
      facility,
    );
    const { evidence, warnings } = one.properties;
    const { also, about } = evidence.find(({ indicator }) => indicator === 'commodity_presence') ?? {};
    assert.deepEqual([also, about], [[{ dataset: 'raster', dataset_version: '2' }], dataset.about]);
    assert.match(
      warnings.find(({ code }) => code === 'commodity_fallback')?.message ?? '',
      /\(heads, raster\) was used instead/,
    );
    const cited = summarise([one, one]).datasets.map(({ id, version }) => `${id} ${version}`);
    assert.deepEqual(cited, ['test 1', 'heads 1', 'raster 2']);
  });

  it('counts values above 0, levels and producers, and leaves invalid ones out of the mean', () => {
    const match = { registry: 'R', recordId: '1', name: 'N', nameSimilarity: 1, distanceM: 0 };
    const summary = summarise([
      result(sources({ producer: () => answer(match) }), pointAt(101.4478, 0.5071, { name: 'N' })),
      result(sources({ commodityShare: () => answer({ share: 0.01, detail: '' }) })),
      result(noData()),
      result(sources(), { type: 'Feature', geometry: null, properties: {} }),
    ]);
    assert.equal(summary.total_facilities, 4);
    assert.deepEqual([summary.commodity_presence, summary.poi_presence, summary.road_access], [3, 2, 2]);
    assert.deepEqual(summary.confidence_level, { high: 2, medium: 0, low: 1, invalid: 1 });
    assert.deepEqual(summary.producer_confirmed, { true: 1, false: 3 });
    assert.equal(summary.confidence_score, 0.67);
    assert.deepEqual(summary.confidence_basis, { verified: 2, partly_verified: 0, unverified: 2 });
    assert.deepEqual(summary.confidence_level_by_basis.unverified, { high: 0, medium: 0, low: 1, invalid: 1 });
    assert.equal(summary.evidence_coverage, 0.67);
    assert.deepEqual(summary.confidence_range, { lowest: 0.63, highest: 0.92 });
    const { commodity_presence: commodity, water_access: water, high_density: density } = summary.indicator_status;
    assert.deepEqual(
      [commodity, water, density],
      [
        { present: 2, absent: 0, unknown: 1 },
        { present: 0, absent: 0, unknown: 3 },
        { present: 0, absent: 2, unknown: 1 },
      ],
    );
    assert.deepEqual(summary.warnings, [
      {
        code: 'missing_data',
        params: { n: 1, total: 4 },
        message:
          'No dataset covers some indicators of 1 of 4 facilities: they were not assessed, which says nothing against the facilities. `confidence_range` says what their scores could be.',
      },
    ]);
  });

  it('reports an unsupported commodity once', () => {
    const banana = { commodity: null, commodityText: 'banana' };
    const one = result(sources(), riau, banana);
    assert.deepEqual(
      summarise([one, one]).warnings.map(({ code }) => code),
      ['commodity_fallback'],
    );
    assert.match(summarise([one, one]).warnings[0]!.message, /^"banana" has no detection model; a generic/);
    assert.match(summarise([one, result()]).warnings[0]!.message, /^1 of 2 facilities have no commodity_type/);
  });

  it('cites each dataset once, and an unknown one without licence', () => {
    const world = sources({
      nearestRoad: () => ({ dataset: { id: 'sample', version: '2', synthetic: true }, value: null }),
    });
    assert.deepEqual(summarise([result(world), result(world)]).datasets, [
      citation('test', '1'),
      citation('sample', '2'),
    ]);
    const summary = createSummary({ citation: () => null });
    summary.add(result(world));
    assert.deepEqual(summary.result().datasets.at(-1), {
      id: 'sample',
      version: '2',
      synthetic: true,
      licence: '',
      attribution: '',
    });
  });

  it('rounds the mean of whole hundredths, not a sum of fractions', () => {
    const scores = [0.45, 0.7, 0.55];
    const results = scores.map((confidence_score) => ({
      ...result(),
      properties: { ...result().properties, confidence_score },
    }));
    assert.equal(summarise(results).confidence_score, 0.57);
  });
});

describe('the table of results', () => {
  it('has as many cells as columns, lists as JSON text and other properties together', () => {
    const one = result(sources(), { ...pointAt(101.4478, 0.5071, { Owner: '=1+1', name: 'A' }), id: 7 });
    const row = facilityColumns.row(one);
    assert.equal(row.length, facilityColumns.header.length);
    const cell = (name: string) => row[facilityColumns.header.indexOf(name)];
    assert.deepEqual(
      [cell('id'), cell('facility_name'), cell('confidence_score'), cell('confidence_comment')],
      [7, 'A', 1, undefined],
    );
    assert.deepEqual(JSON.parse(String(cell('evidence'))), one.properties.evidence);
    assert.deepEqual(JSON.parse(String(cell('geometry'))), riau.geometry);
    assert.equal(cell('input_properties'), '{"Owner":"=1+1","name":"A"}');
  });

  it('is empty, and neither 0 nor none, where nobody could look', () => {
    const names = [
      'commodity_presence',
      'poi_presence',
      'high_density',
      'building_presence',
      'building_class',
      'road_access',
      'water_access',
      'port_proximity',
      'producer_confirmation_score',
      'producer_confirmed',
    ];
    const cells = (one: ValidatedFacility, some: readonly string[]) => {
      const row = facilityColumns.row(one);
      return some.map((name) => row[facilityColumns.header.indexOf(name)]);
    };
    const unseen = result(noData());
    assert.deepEqual(cells(unseen, names), Array(names.length).fill(undefined));
    assert.equal(typeof cells(unseen, ['confidence_score'])[0], 'number');
    // What was looked at and is not there is said.
    const none = result(sources({ nearestRoad: () => answer(null) }));
    assert.deepEqual(cells(none, ['road_access', 'poi_presence']), [0, 1]);
    assert.deepEqual(
      cells(result(sources(), null), [...names, 'confidence_score']),
      Array(names.length + 1).fill(undefined),
    );
  });

  it('has a column for every computed property', () => {
    const invalid = result(sources(), null).properties;
    assert.deepEqual(
      Object.keys({ ...result().properties, ...invalid }).filter((name) => !facilityColumns.header.includes(name)),
      ['confidence_range', 'messages'],
    );
  });

  it('has the range of the score as two numbers, empty where there is no score', () => {
    const range = (one: ValidatedFacility) => {
      const row = facilityColumns.row(one);
      return ['confidence_lowest', 'confidence_highest'].map((name) => row[facilityColumns.header.indexOf(name)]);
    };
    assert.deepEqual(range(result(noData({ density: sources().density }))), [0.25, 1]);
    assert.deepEqual(range(result(sources(), null)), [undefined, undefined]);
  });
});
