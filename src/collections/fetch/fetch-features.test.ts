import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  madeUpCollection,
  madeUpRecord,
  madeUpStatistics,
  measured,
  memoryCollections,
  UNKNOWN,
  type MemoryCollections,
} from '../../../test/memory/collections.ts';
import type { Diversity, Losses, PlotRecord } from '../plot-record.ts';
import { biodiversityView } from './biodiversity-view.ts';
import { parseCursor, type Cursor } from './cursor.ts';
import { deforestationView } from './deforestation-view.ts';
import { emissionsView } from './emissions-view.ts';
import { fetchFeatures, fetchTotals } from './fetch-features.ts';
import { findColumns } from './find-columns.ts';
import { isPlot, type Selection } from './select-features.ts';
import type { FetchedFeature } from './view.ts';

const PERIOD = { start: '2020-12-31', end: '2024-12-31' };
const { signal } = new AbortController();

function select(records: readonly (readonly PlotRecord[])[], change: Partial<Selection> = {}) {
  const content = records.map((own, i) => ({ collection: madeUpCollection({ id: `c${i}` }), records: own }));
  const selection: Selection = {
    collections: content.map(({ collection }) => ({ collection, period: PERIOD })),
    view: deforestationView,
    filters: [],
    ...change,
  };
  return { reader: memoryCollections(content), selection };
}

async function pages(reader: MemoryCollections, selection: Selection, limit: number): Promise<FetchedFeature[][]> {
  const all: FetchedFeature[][] = [];
  let after: Cursor | null = null;
  for (;;) {
    const page = await fetchFeatures(reader, selection, { after, limit }, signal);
    all.push(await Array.fromAsync(page.features));
    if (page.next === null) return all;
    after = parseCursor(page.next);
  }
}

async function whole(reader: MemoryCollections, selection: Selection): Promise<FetchedFeature[]> {
  return Array.fromAsync((await fetchFeatures(reader, selection, { after: null, limit: null }, signal)).features);
}

const hectares = fc.integer({ min: 0, max: 99_999 }).map((units) => units / 10_000);
const record = fc
  .record({
    lost: fc.option(hectares),
    area: hectares.map((area) => area + 0.5),
    region: fc.constantFrom('north', 'south', 'a, b', ''),
    isFacility: fc.boolean(),
  })
  .map(({ lost, area, region, isFacility }) => {
    const losses =
      lost === null
        ? UNKNOWN
        : measured<Losses>({ lossHa: { 2021: lost }, inBaselineHa: { 2021: lost }, years: [2001, 2024] });
    const statistics = madeUpStatistics({ areaHa: area, losses: [losses] });
    return (number: number): PlotRecord =>
      madeUpRecord(number, {
        properties: { source: { region } },
        ...(isFacility ? { locationType: 'facility' } : { statistics }),
      });
  });
const collections = fc
  .array(fc.array(record, { maxLength: 12 }), { minLength: 1, maxLength: 3 })
  .map((all) => all.map((own) => own.map((make, number) => make(number))));

describe('fetchFeatures', () => {
  it('gives the same in pages as at once, whatever the filter and the size of a page', async () => {
    await fc.assert(
      fc.asyncProperty(
        collections,
        fc.integer({ min: 1, max: 14 }),
        fc.boolean(),
        fc.boolean(),
        async (records, limit, plotsOnly, filtered) => {
          const filters = filtered ? [{ name: 'region', values: ['north,a, b'] }] : [];
          const { reader, selection } = select(records, { filters, ...(plotsOnly ? { wants: isPlot } : {}) });
          const all = await whole(reader, selection);
          const parts = await pages(reader, selection, limit);
          assert.deepEqual(parts.flat(), all);
          assert.ok(parts.slice(0, -1).every((part) => part.length === limit));
          assert.ok(parts.length === 1 || (parts.at(-1)?.length ?? 0) > 0, 'the last page is not empty');
        },
      ),
    );
  });

  it('divides a collection by the values of a column without losing or doubling a location', async () => {
    await fc.assert(
      fc.asyncProperty(collections, async (records) => {
        const { reader, selection } = select(records);
        const parts = await Promise.all(
          ['north', 'south', 'a, b', ''].map((value) =>
            whole(reader, { ...selection, filters: [{ name: 'source.region', values: [value] }] }),
          ),
        );
        const key = ({ properties }: FetchedFeature) =>
          `${String(properties['collection_id'])} ${String(properties['location_number'])}`;
        const everything = (await whole(reader, selection)).map(key);
        assert.deepEqual(parts.flat().map(key).sort(), everything.sort());
      }),
    );
  });

  it('stops reading when the client has gone', async () => {
    const { reader, selection } = select([Array.from({ length: 1_000 }, (_, i) => madeUpRecord(i))]);
    const abort = new AbortController();
    const { features } = await fetchFeatures(reader, selection, { after: null, limit: null }, abort.signal);
    await assert.rejects(async () => {
      for await (const { properties } of features)
        if (properties['location_number'] === 9) abort.abort(new Error('gone'));
    }, /gone/);
    assert.ok(reader.read() <= 11, `read ${reader.read()} records`);
  });

  it('reads no more than a page and one location after it, twice', async () => {
    const { reader, selection } = select([Array.from({ length: 1_000 }, (_, i) => madeUpRecord(i))]);
    const page = await fetchFeatures(reader, selection, { after: { collection: 0, number: 499 }, limit: 10 }, signal);
    const numbers = (await Array.fromAsync(page.features)).map(({ properties }) => properties['location_number']);
    assert.deepEqual(numbers, [500, 501, 502, 503, 504, 505, 506, 507, 508, 509]);
    assert.ok(reader.read() <= 22, `read ${reader.read()} records`);
  });
});

describe('fetchTotals', () => {
  it('is the sum of the features, with what is unknown counted and not added', async () => {
    await fc.assert(
      fc.asyncProperty(collections, async (records) => {
        const { reader, selection } = select(records);
        const plots = (await whole(reader, { ...selection, wants: isPlot })).map(({ properties }) => properties);
        const { properties: totals } = await fetchTotals(reader, selection, { after: null, limit: null }, signal);
        for (const name of ['area_ha', 'noncompliance_area_ha', 'baseline_forest_ha']) {
          const known = plots.map((plot) => plot[name]).filter((value) => typeof value === 'number');
          const sum = known.reduce((all, value) => all + Math.round(value * 1e4), 0) / 1e4;
          assert.equal(totals[name], known.length === 0 ? null : sum, name);
          assert.equal((totals['unknown'] as Record<string, number>)[name], plots.length - known.length, name);
        }
        const statuses = totals['eudr_status_counts'] as Record<string, number>;
        assert.equal(
          Object.values(statuses).reduce((a, b) => a + b, 0),
          plots.length,
        );
        assert.equal(totals['plots'], plots.length);
        assert.equal(totals['locations'], records.flat().length);
      }),
    );
  });

  it('adds up years and lists each dataset once', async () => {
    const { reader, selection } = select([[madeUpRecord(0), madeUpRecord(1)]]);
    const { properties } = await fetchTotals(reader, selection, { after: null, limit: null }, signal);
    assert.deepEqual(properties['loss_ha_by_year'], { 2022: 1.5 });
    assert.deepEqual(
      (properties['datasets'] as { role: string }[]).map(({ role }) => role),
      ['forest-mask', 'loss-year'],
    );
    assert.equal((properties['means'] as Record<string, number>)['area_ha'], 10);
  });
});

describe('totals of plots that overlap', () => {
  type Pieces = NonNullable<PlotRecord['earlier']>['pieces'];
  const ground = (pieces: Pieces = [], sameAs: number | null = null) => ({ earlier: { sameAs, pieces } });
  const inRegion = (region: string) => ({ properties: { source: { region } } });
  /** Ten hectares each: a quarter of the second lies on the first, the third is the first again. */
  const three = [
    madeUpRecord(0, { ...ground(), ...inRegion('north') }),
    madeUpRecord(1, { ...ground([[0.25, 0]]), ...inRegion('south') }),
    madeUpRecord(2, {
      ...ground(
        [
          [0.75, 0],
          [0.25, 0, 1],
        ],
        0,
      ),
      ...inRegion('south'),
    }),
  ];
  async function totals(records: readonly (readonly PlotRecord[])[], change: Partial<Selection> = {}) {
    const { reader, selection } = select(records, change);
    return (await fetchTotals(reader, selection, { after: null, limit: null }, signal)).properties;
  }
  const NUMBERS = ['area_ha', 'baseline_forest_ha', 'noncompliance_area_ha', 'overlap_area_ha'];
  const numbersOf = (found: Readonly<Record<string, unknown>>) => NUMBERS.map((name) => found[name]);

  it('count their ground once, all numbers in proportion, and leave counts and means of a plot as they are', async () => {
    const found = await totals([three]);
    assert.deepEqual(numbersOf(found), [17.5, 14, 0.875, 12.5]);
    assert.deepEqual(found['loss_ha_by_year'], { 2022: 1.3125 });
    assert.deepEqual([found['overlaps_counted_once'], found['overlaps_reason']], [true, null]);
    assert.deepEqual([found['plots'], (found['means'] as Record<string, number>)['area_ha']], [3, 10]);
    assert.deepEqual(found['eudr_status_counts'], { deforestation_found: 3 });
    const emissions = await totals([three], { view: emissionsView });
    assert.equal(emissions['agb_t'], 1400);
    const { luc_tco2ehayear: perHa, luc_tco2eyear: all } = emissions as Record<string, number>;
    assert.ok(Math.abs(perHa! * 17.5 - all!) < 0.01, 'emissions of a hectare and of all agree');
  });

  it('give ground back to the later plots when a filter leaves the earlier one out', async () => {
    const south = [{ name: 'region', values: ['south'] }];
    // The third lies on the second by a quarter: the copy stands for the first.
    assert.deepEqual(numbersOf(await totals([three], { filters: south })), [17.5, 14, 0.875, 2.5]);
    const north = [{ name: 'region', values: ['north'] }];
    assert.deepEqual(numbersOf(await totals([three], { filters: north })), [10, 8, 0.5, 0]);
    const { reader, selection } = select([three]);
    const page = await fetchTotals(reader, selection, { after: { collection: 0, number: 0 }, limit: 1 }, signal);
    assert.deepEqual(numbersOf(page.properties), [10, 8, 0.5, 0], 'a page counts what is on it');
  });

  it('say which years were looked at, in all plots and in how many', async () => {
    const until = (number: number, last: number) =>
      madeUpRecord(number, {
        statistics: madeUpStatistics({
          losses: [measured<Losses>({ lossHa: { 2022: 1 }, inBaselineHa: {}, years: [2001, last] })],
        }),
      });
    const unseen = madeUpRecord(2, { statistics: madeUpStatistics({ losses: [UNKNOWN] }) });
    const collection = madeUpCollection({ id: 'c0' });
    const period = { start: '2020-12-31', end: '2026-11-23' };
    const years = async (...records: PlotRecord[]) => {
      const { reader, selection } = select([records]);
      const own = { ...selection, collections: [{ collection, period }] };
      const { properties } = await fetchTotals(reader, own, { after: null, limit: null }, signal);
      return [properties['years_looked_at'], properties['years_looked_at_counts']];
    };
    assert.deepEqual(await years(until(0, 2024), until(1, 2024), unseen), [
      { from: 2021, to: 2024 },
      { 2021: 2, 2022: 2, 2023: 2, 2024: 2 },
    ]);
    assert.deepEqual(await years(until(0, 2022), until(1, 2024)), [
      { from: 2021, to: 2022 },
      { 2021: 2, 2022: 2, 2023: 1, 2024: 1 },
    ]);
    assert.deepEqual(await years(until(0, 2020), unseen), [null, {}]);
  });

  it('take from no plot what is unknown of the earlier one', async () => {
    const statistics = madeUpStatistics({ baseline: UNKNOWN, losses: [UNKNOWN] });
    const found = await totals([[madeUpRecord(0, { ...ground(), statistics }), madeUpRecord(1, ground([[1, 0]], 0))]]);
    assert.deepEqual(numbersOf(found), [10, 8, 0.5, 10]);
    assert.equal((found['unknown'] as Record<string, number>)['noncompliance_area_ha'], 1);
  });

  it('say when plots were not compared, and which ground that leaves in doubt', async () => {
    const found = await totals([[three[0]!, madeUpRecord(1)]]);
    assert.deepEqual([found['overlaps_counted_once'], found['area_ha']], [false, 20]);
    assert.match(String(found['overlaps_reason']), /not compared with the others of their collection: 1\./);
    const alone = await totals([[madeUpRecord(0), madeUpRecord(1, { locationType: 'facility' })]]);
    assert.equal(alone['overlaps_counted_once'], true, 'one plot overlaps no other');
    const nowhere = madeUpRecord(1, { geometry: null, statistics: null, problem: 'The geometry is null.' });
    assert.equal((await totals([[three[0]!, nowhere]]))['overlaps_counted_once'], true, 'it adds no ground');
  });

  it('compare no plots of different collections', async () => {
    const found = await totals([three, three]);
    assert.deepEqual([found['area_ha'], found['overlaps_counted_once']], [35, false]);
    assert.match(String(found['overlaps_reason']), /different collections/);
    assert.equal((await totals([three, []]))['overlaps_counted_once'], true);
  });
});

describe('the mean of scores', () => {
  const scored = (number: number, basis: 'embeddings' | 'canopy-height', score: number) =>
    madeUpRecord(number, {
      statistics: madeUpStatistics({ diversity: measured<Diversity>({ score, basis, year: 2024 }) }),
    });
  const meanOf = async (...records: PlotRecord[]) => {
    const { reader, selection } = select([records]);
    const whole = { ...selection, view: biodiversityView };
    return (await fetchTotals(reader, whole, { after: null, limit: null }, signal)).properties;
  };

  it('is given of what can be compared alone', async () => {
    const alike = await meanOf(scored(0, 'canopy-height', 2), scored(1, 'canopy-height', 4));
    assert.equal(alike['diversity_score'], 3);
    const mixed = await meanOf(scored(0, 'canopy-height', 2), scored(1, 'embeddings', 0.4));
    assert.equal(mixed['diversity_score'], null);
    assert.deepEqual(mixed['diversity_basis_counts'], { 'canopy-height': 1, embeddings: 1 });
  });
});

describe('findColumns', () => {
  it('finds columns of the answer without reading, and columns of the input in the first location that has them', async () => {
    const { reader, selection } = select([
      [madeUpRecord(0), madeUpRecord(1, { properties: { source: { late: 1 } } }), madeUpRecord(2)],
    ]);
    const search = (name: string) => findColumns(reader, { ...selection, filters: [{ name, values: ['x'] }] }, signal);
    assert.deepEqual((await search('eudr_status')).missing, []);
    assert.equal(reader.read(), 0);
    assert.deepEqual((await search('late')).missing, []);
    assert.equal(reader.read(), 2);
    const { missing, known } = await search('lat');
    assert.deepEqual(
      missing.map(({ name }) => name),
      ['lat'],
    );
    assert.ok(known.includes('late') && known.includes('eudr_status'));
  });

  it('has nothing against a column of an empty collection', async () => {
    const { reader, selection } = select([[]], { filters: [{ name: 'x', values: [''] }] });
    assert.deepEqual((await findColumns(reader, selection, signal)).missing, []);
  });
});
