import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { lookedAtIn, lossBars, yearsText } from '../../console/pages/collections/plots/loss-bars.ts';
import { addSample, paceOf, type Sample } from '../../console/pages/collections/batch/pace.ts';
import { arranged, moved } from '../../console/parts/table/column-choice.ts';
import { doubtsOf, readDoubt } from '../../console/pages/collections/plots/doubts.ts';
import { codesOf } from '../../src/messages/recognised/codes-of.ts';
import { plotRow, type PlotRow } from '../../console/pages/collections/plots/plot-row.ts';
import { MOST_OUTLINES, plotsInView } from '../../console/pages/collections/plots/plots-in-view.ts';
import { GROUP_NAMES, groupRows, isGroup } from '../../console/parts/table/group-rows.ts';
import { formatMoment, language } from '../../console/text/translate.ts';
import { filterPlots, readPlotSelection, sortPlots } from '../../console/pages/collections/plots/select-plots.ts';

describe('the chart of losses', () => {
  const period = { start: '2017-01-01', end: '2023-06-30' };
  const all = lookedAtIn({ from: 2001, to: 2024 });
  const whole = { onlyPlots: null, isPart: false };

  it('has a bar for every year of the period, with what lies outside of the forest apart', () => {
    const { bars, cutOffAfter } = lossBars({ 2018: 3, 2021: 2.5 }, { 2021: 2 }, period, all);
    assert.deepEqual(
      bars.map(({ year }) => year),
      [2017, 2018, 2019, 2020, 2021, 2022, 2023],
    );
    assert.deepEqual(bars[1], { year: 2018, inside: 0, outside: 3, ...whole });
    assert.deepEqual(bars[4], { year: 2021, inside: 2, outside: 0.5, ...whole });
    assert.equal(cutOffAfter, 4);
  });

  it('knows a year that no dataset covers from one without loss', () => {
    const late = { start: '2020-12-31', end: '2026-11-23' };
    const { bars } = lossBars({ 2022: 1 }, {}, late, lookedAtIn({ from: 2021, to: 2024 }));
    assert.deepEqual(
      bars.map((bar) => ('noData' in bar ? null : bar.outside)),
      [0, 1, 0, 0, null, null],
    );
    assert.deepEqual(bars[5], { year: 2026, noData: true });
    assert.ok(lossBars({}, null, late, lookedAtIn(null)).bars.every((bar) => 'noData' in bar));
  });

  it('names years that were looked at in some plots only, and those the period has a part of', () => {
    const counts = { byYear: { 2021: 3, 2022: 3, 2023: 1 }, plots: 3 };
    const { bars } = lossBars({}, {}, { start: '2021-06-30', end: '2023-11-23' }, counts);
    const notes = bars.map((bar) => ('noData' in bar ? null : [bar.onlyPlots, bar.isPart]));
    assert.deepEqual(notes, [
      [null, true],
      [null, false],
      [1, true],
    ]);
    assert.equal(yearsText([2017, 2018, 2019, 2021, 2025, 2026]), '2017–2019, 2021, 2025–2026');
  });

  it('does not call outside what may lie inside an unknown forest', () => {
    const { bars } = lossBars({ 2021: 2 }, null, period, all);
    assert.deepEqual(bars[4], { year: 2021, inside: null, outside: 2, ...whole });
  });

  it('begins after the last day of a year, and draws the cut-off only where years follow it', () => {
    const since = lossBars({}, {}, { start: '2020-12-31', end: '2022-12-31' }, all);
    assert.deepEqual([since.bars.map(({ year }) => year), since.cutOffAfter], [[2021, 2022], 0]);
    assert.equal(lossBars({}, {}, { start: '2017-01-01', end: '2019-12-31' }, all).cutOffAfter, null);
    assert.deepEqual(lossBars({}, {}, { start: '2022-01-01', end: '2021-01-01' }, all).bars, []);
  });

  it('has an axis of round numbers that reaches over the highest bar, whatever it is', () => {
    for (let i = 0; i < 2_000; i++) {
      const most = 10 ** (Math.random() * 12 - 5);
      const { ticks } = lossBars({ 2021: most }, null, period, all);
      assert.ok(ticks.at(-1)! >= most * (1 - 1e-9), `${most}: ${ticks.join()}`);
      assert.ok(ticks.length >= 3 && ticks.length <= 6 && ticks[0] === 0, `${most}: ${ticks.join()}`);
    }
    assert.deepEqual(lossBars({ 2021: 16.26 }, null, period, all).ticks, [0, 5, 10, 15, 20]);
  });
});

describe('the pace of a batch', () => {
  const samplesOf = (...given: readonly (readonly [atMs: number, done: number, phase?: string])[]) =>
    given.reduce<readonly Sample[]>(
      (before, [atMs, done, phase = 'measuring']) => addSample(before, { atMs, done, phase }),
      [],
    );

  it('is that of the last half minute, and shows the time left', () => {
    assert.deepEqual(paceOf(samplesOf([0, 0], [60_000, 600], [70_000, 620]), 720), { perSecond: 2, leftS: 50 });
  });

  it('is not shown too early, nor over two phases', () => {
    assert.deepEqual(paceOf(samplesOf([0, 0], [500, 9]), 100), { perSecond: null, leftS: null });
    assert.deepEqual(paceOf(samplesOf([0, 0, 'reading'], [5_000, 9]), 100), { perSecond: null, leftS: null });
    assert.equal(paceOf(samplesOf([0, 0], [5_000, 10]), null).leftS, null);
  });
});

describe('the table of plots', () => {
  afterEach(() => {
    language.value = 'en';
  });

  const row = (index: number, change: Partial<PlotRow> = {}): PlotRow => ({
    ...plotRow({
      type: 'Feature',
      id: `S-${index}`,
      geometry: { type: 'Point', coordinates: [102, 4] },
      properties: {
        collection_id: 'c',
        location_number: index,
        location_type: 'plot',
        location_confidence: null,
        problem: null,
        name: `Plot ${index}`,
      },
    }),
    ...change,
  });
  const indices = (rows: readonly PlotRow[], query: string): number[] => {
    const selection = readPlotSelection(new URLSearchParams(query));
    return sortPlots(filterPlots(rows, selection), selection).map(({ index }) => index);
  };

  it('puts what is unknown last, whichever way numbers are sorted', () => {
    const rows = [row(0, { lostHa: null }), row(1, { lostHa: 2 }), row(2, { lostHa: 0 }), row(3, { lostHa: null })];
    assert.deepEqual(indices(rows, 'sort=lost'), [2, 1, 0, 3]);
    assert.deepEqual(indices(rows, 'sort=lost:desc'), [1, 2, 0, 3]);
  });

  it('shows chosen columns in a chosen order, and never none', () => {
    const columns = ['mark', 'index', 'a', 'b', 'c'].map((key) => ({ key }));
    const keys = (order: readonly string[], hidden: readonly string[]) =>
      arranged(columns, { order, hidden }).map(({ key }) => key);
    assert.deepEqual(keys([], []), ['mark', 'index', 'a', 'b', 'c']);
    assert.deepEqual(keys(['c', 'a', 'b'], ['a']), ['mark', 'index', 'c', 'b']);
    assert.deepEqual(keys(['gone', 'c', 'a'], []), ['mark', 'index', 'c', 'b', 'a'], 'a new column keeps its place');
    assert.deepEqual(keys([], ['a', 'b', 'c']), ['mark', 'index', 'a', 'b', 'c']);
    assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
    assert.deepEqual(moved(['a', 'b', 'c'], 0, -1), ['a', 'b', 'c']);
  });

  it('filters by groups and words together, and passes over what it does not understand', () => {
    const rows = [row(0, { group: 'open' }), row(1, { group: 'deforested' }), row(2)];
    assert.deepEqual(indices(rows, 'res=open,deforested'), [0, 1]);
    assert.deepEqual(indices(rows, 'res=open,deforested&q=PLOT s-1'), [1]);
    assert.deepEqual(indices(rows, 'res=nonsense&sort=nonsense'), [0, 1, 2]);
  });

  it('sorts, searches and groups countries by their names in the language of the page', () => {
    const rows = [
      row(0, { country: 'Hungary', countryCode: 'HU', searched: 'hungary' }),
      row(1, { country: 'Ghana', countryCode: 'GH' }),
      row(2, { country: 'United States', countryCode: 'US' }),
    ];
    assert.deepEqual(indices(rows, 'sort=country'), [1, 0, 2]);
    language.value = 'de';
    assert.deepEqual(indices(rows, 'sort=country'), [1, 0, 2]);
    assert.deepEqual(indices(rows, 'sort=country:desc'), [2, 0, 1]);
    assert.deepEqual([indices(rows, 'q=ungarn'), indices(rows, 'q=hungary')], [[0], [0]]);
    const names = groupRows(rows, GROUP_NAMES.country).flatMap((item) => (isGroup(item) ? [item.name] : []));
    assert.deepEqual(names, ['Ghana', 'Ungarn', 'Vereinigte Staaten']);
    language.value = 'es';
    assert.deepEqual(indices(rows, 'sort=country'), [2, 1, 0]);
  });

  it('has the years of the data in moments, in Thai too', () => {
    for (const code of ['en', 'de', 'th', 'vi'] as const) {
      language.value = code;
      assert.match(formatMoment('2026-11-28T12:00:00Z'), /2026/, code);
    }
  });

  it('filters by a reason for the confidence, which leads to as many rows as it counts', () => {
    const checks = (country: string) => [
      ...['position', 'commodity_zone', 'commodity'].map((check) => ({ check, status: 'pass' })),
      { check: 'country', status: country },
      { check: 'facility_distance', status: 'unknown' },
    ];
    const facility = {
      location_type: 'facility',
      evidence: [
        { indicator: 'road_access', status: 'absent', penalty: 0.1 },
        { indicator: 'water_access', status: 'unknown', penalty: 0.05 },
        { indicator: 'poi_presence', status: 'present', penalty: 0 },
      ],
    };
    const rows = [
      row(0, { doubts: doubtsOf({ plot_checks: checks('fail'), geometry_source: 'geocoded' }) }),
      row(1, { doubts: doubtsOf({ plot_checks: checks('pass') }) }),
      row(2, { doubts: doubtsOf({}) }),
      row(3, { doubts: doubtsOf({ location_confidence: 'not processed: geocoding failed' }) }),
      row(4, { doubts: doubtsOf({ processing: 'not processed: set aside', plot_checks: [] }) }),
      row(5, { doubts: doubtsOf({ processing: 'not processed: set aside', warnings: [{ code: 'unread_rows' }] }) }),
      row(6, { doubts: doubtsOf({ ...facility, location_confidence: 'medium' }) }),
      row(7, { doubts: doubtsOf({ ...facility, location_confidence: 'invalid' }) }),
      row(8, { doubts: doubtsOf({ ...facility, location_confidence: 'high' }) }),
    ];
    // As the service gives them, from its own sentences.
    const read = (reason: string) => {
      const codes = codesOf({ confidence_reasons: [reason] }).messages?.['confidence_reasons'];
      return readDoubt(codes?.[0] as Parameters<typeof readDoubt>[0]);
    };
    const counted = (reason: string) => indices(rows, `why=${read(reason)?.why}`);
    assert.deepEqual(counted('1 plot fails the check country.'), [0]);
    assert.deepEqual(counted('2 plots could not be checked for deforestation.'), [0, 1]);
    assert.deepEqual(counted('3 plots have a doubt in the check precision.'), []);
    assert.deepEqual(counted('1 plot was found by its address alone.'), [0]);
    assert.deepEqual(counted('1 location is not processed: geocoding failed.'), [3]);
    assert.deepEqual(counted('1 location is not processed: geocoding too imprecise.'), []);
    const ended = 'because their worker process ended while it';
    assert.deepEqual(counted(`1 location was set aside, ${ended} worked on them.`), [4]);
    assert.deepEqual(counted(`1 location stands for rows that were not read, ${ended} read on.`), [5]);
    assert.deepEqual(counted('1 facility lost points for roads.'), [6]);
    assert.deepEqual(counted('1 facility could not be checked for water.'), [6]);
    assert.deepEqual(counted('1 facility has a geometry that cannot be used.'), [7]);
    const said = (reason: string) => {
      const doubt = read(reason);
      return doubt === null ? null : [doubt.kind, doubt.count, doubt.about, doubt.why];
    };
    assert.deepEqual(said('2 plots fail the check commodity_zone.'), [
      'fail',
      2,
      'commodity_zone',
      'commodity_zone:fail',
    ]);
    assert.deepEqual(said('2 locations are not processed: geocoding failed.'), [
      'location',
      2,
      'not processed: geocoding failed',
      'state:geocoding_failed',
    ]);
    assert.deepEqual(said('1 facility lost points for roads.'), [
      'facilityLost',
      1,
      'road_access',
      'facility:road_access:lost',
    ]);
    assert.deepEqual(said('1 plot was found by its address alone.'), ['address', 1, '', 'state:by_address']);
    assert.equal(said('3 reasons of a later version.'), null);
  });

  it('sorts the most urgent result first, and the lowest confidence last', () => {
    const rows = [row(0, { group: 'cleared' }), row(1, { group: 'deforested' }), row(2), row(3, { group: 'left_out' })];
    assert.deepEqual(indices(rows, 'sort=result'), [1, 3, 0, 2]);
    const trusted = [row(0, { confidence: null }), row(1, { confidence: 'not processed: geocoding failed' })];
    assert.deepEqual(indices([...trusted, row(2, { confidence: 'high' })], 'sort=confidence'), [2, 1, 0]);
  });

  it('draws the outlines of plots in view alone, and not too many', () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => row(i, { lon: 102 + (i % 100) / 100, lat: 4 }));
    const near = plotsInView(rows, { zoom: 14, lat: 4, lon: 102 }, 1_000, 800);
    assert.ok(near.length > 0 && near.every((index) => index % 100 <= 5), near.slice(0, 9).join());
    assert.equal(plotsInView(rows, { zoom: 9, lat: 4, lon: 102.5 }, 1_000, 800).length, MOST_OUTLINES);
    assert.deepEqual(plotsInView(rows, { zoom: 8, lat: 4, lon: 102 }, 1_000, 800), []);
    assert.deepEqual(plotsInView(rows, { zoom: 14, lat: 40, lon: 102 }, 1_000, 800), []);
  });
});
