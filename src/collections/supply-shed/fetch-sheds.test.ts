import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { geodesicDistanceM } from '../../geo/ellipsoid.ts';
import {
  madeUpCollection,
  madeUpRecord,
  madeUpStatistics,
  measured,
  memoryCollections,
  UNKNOWN,
} from '../../../test/memory/collections.ts';
import { isFacility, isPlot } from '../fetch/select-features.ts';
import type { Losses, PlotRecord } from '../plot-record.ts';
import { facilityView } from './facility-view.ts';
import { fetchShedPlots, fetchSheds, type ShedQuestion } from './fetch-sheds.ts';
import { readPolygon, shedOf, type ShedOptions } from './shed.ts';
import { shedPlotView } from './shed-plot-view.ts';

const PERIOD = { start: '2020-12-31', end: '2024-12-31' };
const { signal } = new AbortController();
const ALL = { after: null, limit: null };

function ask(facilities: readonly PlotRecord[], plots: readonly PlotRecord[], options: Partial<ShedOptions> = {}) {
  const [mills, farms] = [madeUpCollection({ id: 'mills' }), madeUpCollection({ id: 'farms' })];
  const reader = memoryCollections([
    { collection: mills, records: facilities },
    { collection: farms, records: plots },
  ]);
  const question: ShedQuestion = {
    facilities: {
      collections: [{ collection: mills, period: PERIOD }],
      view: facilityView,
      filters: [],
      wants: isFacility,
    },
    plots: { collections: [{ collection: farms, period: PERIOD }], view: shedPlotView, filters: [], wants: isPlot },
    options: { radiusM: 10_000, polygon: null, ...options },
    plotsDescription: { plot_collections: ['farms'] },
  };
  return { reader, question };
}

async function sheds(...[facilities, plots, options]: Parameters<typeof ask>) {
  const { reader, question } = ask(facilities, plots, options);
  const { features, totals } = await fetchSheds(reader, question, ALL, signal);
  return { sheds: features.map(({ properties }) => properties), totals: totals().properties };
}

const mill = (number: number, lon: number, lat: number, source = {}) =>
  madeUpRecord(number, { locationType: 'facility', lon, lat, properties: { source } });

/** Degrees near a place, so that sheds of some kilometres overlap. */
const place = (lon: number, lat: number) =>
  fc.record({
    lon: fc.double({ min: -0.4, max: 0.4, noNaN: true }).map((d) => turned(lon + d)),
    lat: fc.double({ min: -0.4, max: 0.4, noNaN: true }).map((d) => lat + d),
  });

function turned(lon: number): number {
  return lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon;
}

describe('fetchSheds', () => {
  for (const [name, lon, lat] of [
    ['at the equator', 10, 0],
    ['across the antimeridian', 179.95, -17],
    ['in the north', -20, 64],
  ] as const)
    it(`counts the plots within the radius as measuring every pair does, ${name}`, async () => {
      const radius = fc.integer({ min: 100, max: 40_000 });
      const places = fc.array(place(lon, lat), { maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(places, places, radius, async (facilities, plots, radiusM) => {
          const distance = (a: { lon: number; lat: number }, b: { lon: number; lat: number }) =>
            geodesicDistanceM(a.lon, a.lat, b.lon, b.lat);
          // Near the edge of a circle the two may differ by the last metre.
          fc.pre(facilities.every((a) => plots.every((b) => Math.abs(distance(a, b) - radiusM) > radiusM * 0.001 + 1)));
          const found = await sheds(
            facilities.map((at, i) => mill(i, at.lon, at.lat)),
            plots.map((at, i) => madeUpRecord(i, at)),
            { radiusM },
          );
          assert.deepEqual(
            found.sheds.map((shed) => shed['plots']),
            facilities.map((a) => plots.filter((b) => distance(a, b) <= radiusM).length),
          );
          const any = plots.filter((b) => facilities.some((a) => distance(a, b) <= radiusM));
          assert.equal(found.totals['plots'], any.length, 'each plot counts once in the aggregate');
        }),
        { numRuns: 60 },
      );
    });

  it('adds up what is known and counts what is not', async () => {
    const plots = [
      madeUpRecord(0, { lon: 0.01, fit: true }),
      madeUpRecord(1, {
        lon: 0.02,
        fit: true,
        statistics: madeUpStatistics({ areaHa: 30, baseline: UNKNOWN, losses: [UNKNOWN], diversity: UNKNOWN }),
      }),
      madeUpRecord(2, {
        lon: 0.03,
        fit: false,
        statistics: madeUpStatistics({
          areaHa: 60,
          losses: [measured<Losses>({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] })],
          diversity: measured({ score: 0.6, basis: 'embeddings', year: 2024 } as const),
        }),
      }),
      madeUpRecord(3, { lon: 1 }),
      madeUpRecord(4, { geometry: null, statistics: null, problem: 'The geometry is null.' }),
    ];
    const [shed] = (await sheds([mill(0, 0, 0)], plots)).sheds;
    assert.deepEqual(
      ['plots', 'area_ha', 'noncompliance_area_ha', 'baseline_forest_ha', 'plots_looked_at', 'plots_without_place'].map(
        (name) => shed![name],
      ),
      [3, 100, 0.5, 16, 5, 1],
    );
    assert.deepEqual(shed!['plot_group_counts'], { deforested: 1, left_out: 1, open: 1 });
    assert.deepEqual(shed!['eudr_status_counts'], { deforestation_found: 1, no_deforestation_found: 1, unknown: 1 });
    assert.deepEqual(shed!['risk_level_area_shares'], { high: 0.1, low: 0.6, unknown: 0.3 });
    // 0.5 ha of the 70 ha for which it is known.
    assert.equal(shed!['noncompliance_share'], 0.0071);
    // (0.25 x 10 + 0.6 x 60) / 70.
    assert.equal(shed!['diversity_score'], 0.55);
    assert.equal((shed!['unknown'] as Record<string, number>)['noncompliance_area_ha'], 1);
    assert.deepEqual([shed!['nearest_plot_m'], shed!['farthest_plot_m']], [1113, 3340]);
    assert.equal(shed!['locations_confidence'], 'high');
  });

  it('counts ground once in each shed and in all, with the earlier plot where the shed holds it', async () => {
    const earlier = { sameAs: null, pieces: [[0.5, 0] as const] };
    const compared = { sameAs: null, pieces: [] };
    const plots = [
      madeUpRecord(0, { lon: 0, earlier: compared }),
      madeUpRecord(1, { lon: 0.05, earlier }),
      // The copy of the first stands for it, and is all of its ground again.
      madeUpRecord(2, { lon: 0, earlier: { sameAs: 0, pieces: [[0.5, 0] as const, [0.5, 0, 1] as const] } }),
    ];
    // 7 km around each: the first and its copy, all of them, the second alone.
    const found = await sheds([mill(0, -0.03, 0), mill(1, 0.025, 0), mill(2, 0.08, 0)], plots, { radiusM: 7_000 });
    const numbers = (shed: Readonly<Record<string, unknown>>) =>
      ['plots', 'area_ha', 'baseline_forest_ha', 'overlap_area_ha', 'overlaps_counted_once'].map((name) => shed[name]);
    assert.deepEqual(found.sheds.map(numbers), [
      [2, 10, 8, 10, true],
      [3, 15, 12, 15, true],
      [1, 10, 8, 0, true],
    ]);
    assert.deepEqual(numbers(found.totals), [3, 15, 12, 15, true]);
  });

  it('says of a shed whether its plots were compared, and gives none for one that is not there', async () => {
    const plots = [madeUpRecord(0, { lon: 0 }), madeUpRecord(1, { lon: 0 })];
    const nowhere = madeUpRecord(1, { locationType: 'facility', geometry: null });
    const [shed, none] = (await sheds([mill(0, 0, 0), nowhere], plots)).sheds;
    assert.equal(shed!['overlaps_counted_once'], false);
    assert.match(String(shed!['overlaps_reason']), /not compared with the others of their collection: 2\./);
    assert.deepEqual(
      [none!['overlap_area_ha'], none!['overlaps_counted_once'], none!['overlaps_reason']],
      [null, null, null],
    );
  });

  it('shows an empty shed as no plots and nothing known, not as 0 hectares lost', async () => {
    const [shed] = (await sheds([mill(0, 0, 0)], [])).sheds;
    assert.deepEqual([shed!['plots'], shed!['noncompliance_area_ha'], shed!['nearest_plot_m']], [0, null, null]);
  });

  it('takes the polygon of the column before the radius, and the polygon of the question before both', async () => {
    const square = (size: number) => `POLYGON((0 0, ${size} 0, ${size} ${size}, 0 ${size}, 0 0))`;
    const plots = [
      madeUpRecord(0, { lon: 0.5, lat: 0.5 }),
      madeUpRecord(1, { lon: 1.5, lat: 1.5 }),
      madeUpRecord(2, { lon: 0.01, lat: -0.01 }),
    ];
    const facilities = [mill(0, 0, 0, { supply_shed: square(1) }), mill(1, 0, 0)];
    const own = (await sheds(facilities, plots)).sheds;
    assert.deepEqual(
      own.map((shed) => [shed['supply_shed_kind'], shed['plots']]),
      [
        ['column', 1],
        ['radius', 1],
      ],
    );
    const polygon = readPolygon(square(2));
    assert.ok(typeof polygon !== 'string');
    const given = (await sheds(facilities, plots, { polygon })).sheds;
    assert.deepEqual(
      given.map((shed) => [shed['supply_shed_kind'], shed['plots'], shed['supply_shed_radius_m']]),
      [
        ['parameter', 2, null],
        ['parameter', 2, null],
      ],
    );
  });

  it('says why a facility has no shed, and gives no number for it', async () => {
    const facilities = [
      madeUpRecord(0, { locationType: 'facility', geometry: null }),
      mill(1, 0, 0, { supply_shed: 'POLYGON((0 0, 1 1))' }),
      mill(2, 0, 0, { supply_shed: 'POINT(0 0)' }),
      mill(3, 0, 0, { supply_shed: '{"type":' }),
      madeUpRecord(4, {
        locationType: 'facility',
        lon: 0,
        lat: 0,
        problem: 'not processed: geocoding too imprecise: the address was found no closer than its region.',
      }),
    ];
    const found = await sheds(facilities, [madeUpRecord(0)]);
    for (const [i, reason] of [
      /no usable place/,
      /column supply_shed .* open/,
      /without area/,
      /broken JSON/,
      /no closer than its region/,
    ].entries()) {
      assert.match(String(found.sheds[i]!['supply_shed_problem']), reason);
      assert.deepEqual([found.sheds[i]!['plots'], found.sheds[i]!['area_ha']], [null, null]);
    }
    assert.deepEqual([found.totals['facilities'], found.totals['facilities_without_shed']], [5, 5]);
  });

  it('reads each plot once, however many sheds there are', async () => {
    const { reader, question } = ask(
      [mill(0, 0, 0), mill(1, 0.01, 0)],
      Array.from({ length: 50 }, (_, i) => madeUpRecord(i)),
    );
    await fetchSheds(reader, question, { after: null, limit: 1 }, signal);
    assert.ok(reader.read() <= 50 + 2 * 2, `read ${reader.read()}`);
  });
});

describe('fetchShedPlots', () => {
  it('gives each plot of any shed once, with its facilities, the nearest first', async () => {
    const plots = [madeUpRecord(0, { lon: 0.02 }), madeUpRecord(1, { lon: 3 }), madeUpRecord(2, { lon: 0.08 })];
    const { reader, question } = ask([mill(0, 0, 0), mill(1, 0.05, 0)], plots);
    const found = await fetchShedPlots(reader, question, { after: null, limit: 1 }, signal);
    const first = await Array.fromAsync(found!.features);
    assert.deepEqual(
      first.map(({ properties }) => properties['location_id']),
      ['P0'],
    );
    assert.deepEqual(
      (first[0]!.properties['supply_sheds'] as { location_id: string; distance_m: number }[]).map((hit) => [
        hit.location_id,
        hit.distance_m,
      ]),
      [
        ['P0', 2226],
        ['P1', 3340],
      ],
    );
    assert.equal(found!.next, '0.0');
  });
});

describe('shedOf', () => {
  it('reaches around the outline of a facility that is an area', () => {
    const geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
          [0, 0],
        ],
      ],
    };
    const shed = shedOf({ type: 'Feature', geometry, properties: {} }, { radiusM: 10_000, polygon: null });
    assert.ok(typeof shed !== 'string');
    assert.ok(shed.bbox[0] < -0.089 && shed.bbox[3] > 1.089);
  });

  it('never throws, whatever a column holds', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.string(),
          fc.string().map((text) => `POLYGON${text}`),
          fc.string().map((text) => `{${text}`),
        ),
        (value) => {
          const found = readPolygon(value);
          assert.ok(typeof found === 'string' ? found.length > 0 : found.polygons.length > 0);
        },
      ),
    );
  });
});
