import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { PlotStatistics } from '../../collections/plot-record.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import { layOutPlot } from '../../geo/zonal/plot-ground.ts';
import { CatalogueError } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { sampleDatasets } from '../../readers/sample-district/sample-datasets.ts';
import { sampleRasterDatasets } from '../../readers/sample-district/sample-rasters.ts';
import { boxPolygon, rasterDataset, writeMadeUpTiff, type MadeUpRaster } from '../../../test/made-up-rasters.ts';
import { openPlotStatistics, type MeasurablePlot } from './statistics.ts';

const folder = mkdtempSync(join(tmpdir(), 'firstmile-plots-'));
after(() => rmSync(folder, { recursive: true }));

const CONFIG = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
const { signal } = new AbortController();
/** 0.00025 degrees, the pixel of the Hansen rasters. */
const PIXEL = 0.00025;
let files = 0;

async function measure(datasets: readonly Dataset[], ...plots: readonly MeasurablePlot[]): Promise<PlotStatistics[]> {
  const measurer = openPlotStatistics(datasets, CONFIG, () => {}, { embeddingDeadlineMs: 600_000 });
  const statistics = await measurer.measure(plots, signal);
  await measurer.close();
  return [...statistics];
}

function write(raster: Partial<MadeUpRaster> & Pick<MadeUpRaster, 'at'>): string {
  const whole = { width: 40, height: 40, west: 10, north: 5, pixel: PIXEL, ...raster };
  return writeMadeUpTiff(folder, `raster-${files++}.tif`, whole);
}

const mask = (path: string, options: Dataset['options'] = { classes: [1] }): Dataset =>
  rasterDataset({ id: 'mask', role: 'forest-mask', path, options });
const losses = (path: string, options: Dataset['options'] = { lastYear: 2024 }): Dataset =>
  rasterDataset({ id: 'losses', role: 'loss-year', path, options });

/** A box of whole and half pixels from the upper left corner of the raster. */
function pixels(x0: number, y0: number, x1: number, y1: number): MeasurablePlot {
  return { geometry: boxPolygon(10 + x0 * PIXEL, 5 - y1 * PIXEL, 10 + x1 * PIXEL, 5 - y0 * PIXEL), statedHa: null };
}

/** Geodesic hectares of a box of pixels. */
function hectares(x0: number, y0: number, x1: number, y1: number): number {
  const ground = layOutPlot(pixels(x0, y0, x1, y1).geometry, null);
  assert.ok(typeof ground !== 'string');
  return ground.areaHa;
}

function near(got: number | undefined, wanted: number, share = 1e-4): void {
  assert.ok(got !== undefined && Math.abs(got - wanted) <= share * wanted + 1e-6, `${got}, wanted ${wanted}`);
}

function known<T extends { readonly status: string }>(measured: T): Extract<T, { readonly status: 'measured' }> {
  assert.equal(measured.status, 'measured', JSON.stringify(measured));
  return measured as Extract<T, { readonly status: 'measured' }>;
}

describe('forest and losses of a plot', () => {
  it('are hectares by the part of each pixel inside', async () => {
    const forest = write({ at: (x) => Number(x < 10) });
    const lost = write({ at: (_, y) => (y < 4 ? 21 : y < 8 ? 15 : 0) });
    const [one] = await measure([mask(forest), losses(lost)], pixels(5.5, 2.5, 20.25, 10));
    near(one?.areaHa, hectares(5.5, 2.5, 20.25, 10), 1e-6);
    const baseline = known(one!.baseline);
    near(baseline.forestHa, hectares(5.5, 2.5, 10, 10));
    assert.deepEqual([baseline.dataset, baseline.version, baseline.coveredShare], ['mask', '1', 1]);
    const [loss] = one!.losses.map(known);
    assert.deepEqual(Object.keys(loss!.lossHa), ['2015', '2021']);
    near(loss?.lossHa['2021'], hectares(5.5, 2.5, 20.25, 4));
    near(loss?.inBaselineHa?.['2021'], hectares(5.5, 2.5, 10, 4));
    near(loss?.inBaselineHa?.['2015'], hectares(5.5, 4, 10, 8));
    assert.deepEqual(loss?.years, [2001, 2024]);
    assert.equal(one?.biomass.status, 'unknown');
  });

  it('are of a circle of the stated area around a point, 4 ha when none is stated', async () => {
    const [four, stated] = await measure(
      [mask(write({ at: () => 1 }))],
      { geometry: { type: 'Point', coordinates: [10.005, 4.995] }, statedHa: null },
      { geometry: { type: 'Point', coordinates: [10.005, 4.995] }, statedHa: 1.5 },
    );
    assert.deepEqual([four?.areaHa, four?.ground, stated?.areaHa], [4, 'circle', 1.5]);
    near(known(stated!.baseline).forestHa, 1.5);
  });

  it('of a plot smaller than a pixel are those of its pixel', async () => {
    const [one] = await measure([mask(write({ at: (x) => Number(x === 3) }))], pixels(3.2, 4.3, 3.25, 4.4));
    near(known(one!.baseline).forestHa, hectares(3.2, 4.3, 3.25, 4.4), 1e-3);
  });

  it('of a plot of 10,000 ha come in pieces and add up', async () => {
    const raster = { width: 1_200, height: 1_200, pixel: 0.0000833333, options: { tile: 512 } };
    const path = write({ ...raster, at: (x, y) => Number((x + y) % 2 === 0) });
    const box = { geometry: boxPolygon(10.0003, 4.9102, 10.0998, 4.9997), statedHa: null };
    const [one] = await measure([mask(path)], box);
    assert.ok(one!.areaHa > 10_000);
    near(known(one!.baseline).forestHa, one!.areaHa / 2, 1e-3);
    assert.equal(known(one!.baseline).coveredShare, 1);
  });

  it('of two rasters on grids of different size are exact where one divides the other', async () => {
    // Forest pixels are thirds of those of losses, which is how the public rasters lie.
    const forest = write({ width: 120, height: 120, pixel: PIXEL / 3, at: (x) => Number(x % 3 === 0) });
    const lost = write({ at: (x) => (x % 2 === 0 ? 22 : 0) });
    const [one] = await measure([mask(forest), losses(lost)], pixels(2, 3, 12, 9));
    near(known(one!.losses[0]!).inBaselineHa?.['2022'], hectares(2, 3, 12, 9) / 6);
    const [other] = await measure(
      [mask(lost, { threshold: 20 }), losses(forest, { baseYear: 2020, lastYear: 2024 })],
      pixels(2, 3, 12, 9),
    );
    near(known(other!.losses[0]!).inBaselineHa?.['2021'], hectares(2, 3, 12, 9) / 6);
  });

  it('of two rasters in different systems take the class at the centre of the finer pixel', async () => {
    const utm = { crs: 'EPSG:32632', transform: [10, 0, 610_000, 0, -10, 553_000] as const, width: 300, height: 300 };
    const forest = write({ ...utm, at: () => 1 });
    const lost = write({ at: (x) => (x < 20 ? 23 : 0) });
    const [one] = await measure([mask(forest), losses(lost)], pixels(4, 4, 30, 30));
    near(known(one!.baseline).forestHa, hectares(4, 4, 30, 30), 1e-3);
    const loss = known(one!.losses[0]!);
    near(loss.lossHa['2023'], hectares(4, 4, 20, 30));
    near(loss.inBaselineHa?.['2023'], hectares(4, 4, 20, 30), 5e-3);
  });

  it('keep every dataset of losses, in the order of the catalogue', async () => {
    const forest = write({ at: () => 1 });
    const [first, second] = [write({ at: () => 21 }), write({ at: () => 0 })];
    const all = [mask(forest), losses(first), { ...losses(second), id: 'others' }];
    const [one] = await measure(all, pixels(1, 1, 5, 5));
    assert.deepEqual(
      one?.losses.map((loss) => [known(loss).dataset, Object.keys(known(loss).lossHa)]),
      [
        ['losses', ['2021']],
        ['others', []],
      ],
    );
  });

  it('take off what an older map of forest has lost since', async () => {
    const trees = write({ at: () => 80 });
    const lost = write({ at: (x) => (x < 5 ? 12 : x < 8 ? 22 : 0) });
    const old = mask(trees, { threshold: 30, lessLossOf: 'losses' });
    const [one, away] = await measure([old, losses(lost)], pixels(0, 0, 20, 10), pixels(10, 0, 20, 10));
    near(known(one!.baseline).forestHa, hectares(5, 0, 20, 10));
    assert.deepEqual(Object.keys(known(one!.losses[0]!).inBaselineHa ?? {}), ['2022']);
    near(known(away!.baseline).forestHa, hectares(10, 0, 20, 10));
  });

  it('go on to the next mask where the first has no data, and say how much is covered', async () => {
    const west = write({ width: 10, at: () => 1 });
    const whole = write({ at: () => 0 });
    const all = [mask(west), { ...mask(whole), id: 'second' }];
    const [over, beside] = await measure(all, pixels(5, 5, 15, 10), pixels(20, 5, 30, 10));
    assert.deepEqual([known(over!.baseline).dataset, known(over!.baseline).coveredShare], ['mask', 0.5]);
    assert.deepEqual([known(beside!.baseline).dataset, known(beside!.baseline).forestHa], ['second', 0]);
  });

  it('are unknown, not 0, where all pixels are nodata', async () => {
    const empty = write({ nodata: 255, at: () => 255 });
    const [one] = await measure([mask(empty), losses(empty)], pixels(1, 1, 9, 9));
    assert.deepEqual(one?.baseline, { status: 'unknown', reason: 'mask has no data there' });
    assert.deepEqual(one?.losses, [{ status: 'unknown', reason: 'losses has no data there' }]);
    const [absent] = await measure([mask(empty, { classes: [1], nodata: 'absent' })], pixels(1, 1, 9, 9));
    assert.equal(known(absent!.baseline).forestHa, 0);
  });

  for (const interleave of ['pixel', 'band'] as const)
    it(`are those of the band that was named (${interleave} interleaved)`, async () => {
      const values = Int16Array.from({ length: 40 * 40 * 3 }, (_, i) => [-5, 70, 10][i % 3] as number);
      const path = write({
        at: () => 0,
        bands: 3,
        sampleType: 'int16',
        values,
        options: { interleave, compression: 'zstd' },
      });
      const forestHa = async (band: number) => {
        const [one] = await measure([mask(path, { threshold: 30, band })], pixels(3, 3, 9, 9));
        return known(one!.baseline).forestHa;
      };
      assert.equal(await forestHa(1), 0);
      near(await forestHa(2), hectares(3, 3, 9, 9));
      assert.equal(await forestHa(3), 0);
      const [beyond] = await measure([mask(path, { threshold: 30, band: 4 })], pixels(3, 3, 9, 9));
      assert.equal(beyond?.baseline.status, 'unknown');
    });

  it('take years the dataset does not cover for no data', async () => {
    const lost = write({ at: (x) => (x < 5 ? 200 : 3) });
    const [one] = await measure([losses(lost)], pixels(0, 0, 10, 10));
    assert.deepEqual(
      [known(one!.losses[0]!).coveredShare, Object.keys(known(one!.losses[0]!).lossHa)],
      [0.5, ['2003']],
    );
  });
});

describe('plots over tiles', () => {
  /** Four tiles of one degree around the equator and the meridian; `at` says the value by tile. */
  function tiles(at: Readonly<Record<string, number>>, size = 16): Dataset {
    const name = `tiles-${files++}`;
    for (const [tile, value] of Object.entries(at)) {
      const [, ns, lat, ew, lon] = /^([NS])(\d+)([EW])(\d+)$/.exec(tile) ?? [];
      const north = Number(lat) * (ns === 'N' ? 1 : -1);
      const west = Number(lon) * (ew === 'E' ? 1 : -1);
      const raster = { width: size, height: size, west, north, pixel: 1 / size, at: () => value };
      writeMadeUpTiff(folder, `${name}-${tile}.tif`, raster);
    }
    const path = join(folder, `${name}-{ns}{lat:2}{ew}{lon:3}.tif`);
    return mask(path, { classes: [1], tileDegrees: 1 });
  }

  it('are measured over their corner, on all four', async () => {
    const set = tiles({ N01E000: 1, N00E000: 0, N01W001: 0, N00W001: 1 });
    const [one] = await measure([set], { geometry: boxPolygon(-0.3, -0.1, 0.2, 0.4), statedHa: null });
    const { forestHa, coveredShare } = known(one!.baseline);
    assert.equal(coveredShare, 1);
    const parts = [boxPolygon(0, 0, 0.2, 0.4), boxPolygon(-0.3, -0.1, 0, 0)];
    near(
      forestHa,
      parts.reduce((sum, part) => sum + areaHa(part), 0),
    );
  });

  it('have no data where a tile is not there', async () => {
    const [one, far] = await measure(
      [tiles({ N01E000: 1 })],
      { geometry: boxPolygon(-0.1, 0.2, 0.3, 0.4), statedHa: null },
      { geometry: boxPolygon(50.1, 0.2, 50.2, 0.4), statedHa: null },
    );
    near(known(one!.baseline).coveredShare, 0.75);
    assert.deepEqual(far?.baseline, { status: 'unknown', reason: 'mask has no data there' });
  });

  it('are measured on both sides of the antimeridian, given either way', async () => {
    const set = tiles({ N01E179: 1, N01W180: 1 });
    const across = {
      type: 'Polygon',
      coordinates: [
        [
          [179.8, 0.1],
          [-179.9, 0.1],
          [-179.9, 0.3],
          [179.8, 0.3],
          [179.8, 0.1],
        ],
      ],
    };
    const cut = {
      type: 'MultiPolygon',
      coordinates: [boxPolygon(179.8, 0.1, 180, 0.3).coordinates, boxPolygon(-180, 0.1, -179.9, 0.3).coordinates],
    };
    const point = { type: 'Point', coordinates: [180, 0.5] };
    const got = await measure(
      [set],
      { geometry: across, statedHa: null },
      { geometry: cut, statedHa: null },
      { geometry: point, statedHa: 400 },
    );
    const wanted = areaHa(boxPolygon(0, 0.1, 0.3, 0.3));
    for (const one of got.slice(0, 2)) {
      near(one.areaHa, wanted);
      near(known(one.baseline).forestHa, wanted);
    }
    near(known(got[2]!.baseline).forestHa, 400, 1e-3);
    assert.equal(
      got.every(({ baseline }) => known(baseline).coveredShare === 1),
      true,
    );
  });

  it('are measured near the poles, where pixels are narrow', async () => {
    const [north, south] = await measure(
      [tiles({ N80E020: 1, S79E020: 1 }, 64)],
      { geometry: boxPolygon(20.2, 79.3, 20.7, 79.7), statedHa: null },
      { geometry: { type: 'Point', coordinates: [20.5, -79.5] }, statedHa: null },
    );
    near(known(north!.baseline).forestHa, areaHa(boxPolygon(20.2, 79.3, 20.7, 79.7)), 1e-3);
    near(known(south!.baseline).forestHa, 4, 1e-3);
  });
});

describe('biomass and diversity', () => {
  const canopy = (path: string): Dataset => rasterDataset({ id: 'canopy', role: 'canopy-height', path, date: '2020' });

  it('gives tonnes by year', async () => {
    const at = (value: number) => write({ sampleType: 'uint16', at: (x) => (x < 10 ? value : 2 * value) });
    const maps = { 2015: at(100), 2020: at(60) };
    const biomass = rasterDataset({ id: 'agb', role: 'biomass', path: folder, options: { maps } });
    const [one] = await measure([biomass], pixels(5, 0, 15, 10));
    const { tonnes } = known(one!.biomass);
    const area = hectares(5, 0, 15, 10);
    near(tonnes['2015'], 150 * area);
    near(tonnes['2020'], 90 * area);
  });

  it('leaves out a year that covers less of the plot than the others', async () => {
    const whole = write({ sampleType: 'uint16', at: () => 100 });
    const half = write({ sampleType: 'uint16', nodata: 9, at: (x) => (x < 10 ? 9 : 100) });
    const biomass = rasterDataset({
      id: 'agb',
      role: 'biomass',
      path: folder,
      options: { maps: { 2015: whole, 2020: half } },
    });
    const [one] = await measure([biomass], pixels(5, 0, 15, 10));
    assert.deepEqual(Object.keys(known(one!.biomass).tonnes), ['2015']);
  });

  it('measures the expected difference of heights of two pixels', async () => {
    const [even, two, none] = await measure(
      [canopy(write({ sampleType: 'float32', at: (x) => (x < 10 ? 5 : 25) }))],
      pixels(0, 0, 5, 5),
      pixels(5, 0, 15, 10),
      pixels(100, 100, 110, 110),
    );
    assert.equal(known(even!.diversity).score, 0);
    assert.deepEqual(
      [known(two!.diversity).score, known(two!.diversity).basis, known(two!.diversity).year],
      [10, 'canopy-height', 2020],
    );
    assert.equal(none?.diversity.status, 'unknown');
  });
});

describe('diversity of embeddings', () => {
  it('is taken where no heights are, from files alone: little inside a stand, more over several', async () => {
    const [embeddings] = sampleDatasets(folder);
    const far = rasterDataset({ id: 'far', role: 'embeddings', url: 'https://nowhere.invalid/a.tif', date: '2025' });
    const stand = { geometry: boxPolygon(102.6075, 4.577, 102.6085, 4.578), statedHa: null };
    const several = { geometry: boxPolygon(102.59, 4.59, 102.61, 4.61), statedHa: null };
    const large = { geometry: boxPolygon(102.576, 4.574, 102.62, 4.618), statedHa: null };
    // So large that every third row and column is looked at; most of it lies outside the district.
    const huge = { geometry: boxPolygon(102.55, 4.55, 102.65, 4.65), statedHa: null };
    const outside = { geometry: boxPolygon(103, 4, 103.001, 4.001), statedHa: null };
    const got = await measure([far, embeddings!], stand, several, large, huge, outside);
    const [one, many, most, thinned] = got.slice(0, 4).map(({ diversity }) => known(diversity));
    assert.deepEqual([one?.basis, one?.year, one?.synthetic, one?.coveredShare], ['embeddings', 2025, true, 1]);
    assert.ok(one!.score > 0 && one!.score < 0.2, String(one?.score));
    assert.ok(many!.score > 2 * one!.score && many!.score < 1, String(many?.score));
    assert.ok(Math.abs(most!.score - many!.score) < 0.3 && most!.coveredShare > 0.9, String(most?.score));
    assert.ok(Math.abs(thinned!.score - most!.score) < 0.02 && thinned!.coveredShare < 0.3, String(thinned?.score));
    assert.equal(got[4]?.diversity.status, 'unknown');
  });
});

describe('openPlotStatistics', () => {
  it('measures the sample district, and says that it is synthetic', async () => {
    const datasets = sampleRasterDatasets(folder);
    const measurer = openPlotStatistics(datasets, CONFIG);
    // Two blocks of the estate, cleared in 2021 and 2023, and two cleared before.
    const estate = { geometry: boxPolygon(102.606, 4.577, 102.618, 4.584), statedHa: null };
    const [one] = await measurer.measure([estate], signal);
    const { lossHa, inBaselineHa, synthetic } = known(one!.losses[0]!);
    assert.deepEqual(Object.keys(lossHa), ['2012', '2018', '2021', '2023']);
    assert.deepEqual(Object.keys(inBaselineHa ?? {}), ['2021', '2023']);
    assert.equal(synthetic, true);
    assert.ok(Number(known(one!.biomass).tonnes['2020']) > Number(known(one!.biomass).tonnes['2022']));
    assert.deepEqual(
      measurer.citations().map(({ dataset, synthetic: made }) => [dataset, made]),
      datasets.map(({ id }) => [id, true]),
    );
    await measurer.close();
  });

  it('does not mix real losses into made-up ones', async () => {
    const real = write({ west: 102.5, north: 4.7, width: 800, height: 800, at: () => 21 });
    const [one] = await measure([...sampleRasterDatasets(folder), losses(real)], {
      geometry: { type: 'Point', coordinates: [102.6, 4.6] },
      statedHa: null,
    });
    assert.deepEqual(
      one?.losses.map((loss) => known(loss).dataset),
      ['sample-district-losses'],
    );
  });

  it('keeps the order of the plots and gives a reason for those without ground', async () => {
    const plots = [
      {
        geometry: {
          type: 'LineString',
          coordinates: [
            [10, 5],
            [10.1, 5],
          ],
        },
        statedHa: null,
      },
      pixels(0, 0, 2, 2),
      { geometry: null, statedHa: null },
      { geometry: { type: 'Point', coordinates: [10, 5] }, statedHa: -1 },
    ];
    const [line, box, nothing, negative] = await measure([mask(write({ at: () => 1 }))], ...plots);
    const reason = (one: PlotStatistics | undefined) => (one?.baseline.status === 'unknown' ? one.baseline.reason : '');
    assert.match(reason(line), /the geometry has no area/);
    near(known(box!.baseline).forestHa, hectares(0, 0, 2, 2));
    assert.match(reason(nothing), /There is no geometry/);
    assert.match(reason(negative), /wanted a stated area above 0 ha, got -1/);
    assert.deepEqual([line?.areaHa, line?.losses.length], [0, 1]);
  });

  it('says that no dataset covers a plot', async () => {
    const elsewhere = { ...mask(write({ at: () => 1 })), coverage: { bbox: [0, 0, 1, 1] as const } };
    const [one] = await measure([elsewhere], pixels(0, 0, 2, 2));
    const none = { status: 'unknown', reason: 'no dataset covers the plot' };
    assert.deepEqual([one?.baseline, one?.losses, one?.biomass, one?.diversity], [none, [none], none, none]);
  });

  it('gives the same whichever plots are measured together', async () => {
    const all = [
      mask(write({ at: (x, y) => Number((x * 7 + y) % 3 === 0) })),
      losses(write({ at: (x, y) => ((x + y) % 5 === 0 ? 22 : 0) })),
    ];
    const plots = Array.from({ length: 40 }, (_, i) => pixels(i / 2, (i * 7) % 20, i / 2 + 3.3, ((i * 7) % 20) + 2.7));
    const together = await measure(all, ...plots);
    for (const i of [0, 7, 39]) assert.deepEqual((await measure(all, plots[i]!))[0], together[i]);
  });

  it('stops on request', async () => {
    const measurer = openPlotStatistics([mask(write({ at: () => 1 }))], CONFIG);
    await assert.rejects(measurer.measure([pixels(0, 0, 2, 2)], AbortSignal.abort(new Error('enough'))), /enough/);
    await measurer.close();
  });

  const faults: readonly (readonly [options: Dataset['options'], wanted: RegExp])[] = [
    [{}, /options.threshold: wanted either a threshold or classes/],
    [{ threshold: 30, classes: [1] }, /either a threshold or classes/],
    [{ threshold: '30' }, /options.threshold: wanted a number, got "30"/],
    [{ classes: [1], band: 0 }, /options.band: wanted a whole number from 1, got 0/],
    [{ classes: [1], nodata: 7 }, /options.nodata: wanted "absent" or "unknown", got 7/],
    [{ classes: [1], deadlineMs: -1 }, /options.deadlineMs/],
    [{ classes: [1], lessLossOf: 'nothing' }, /wanted the id of a dataset of the role loss-year, got nothing/],
    [{ classes: [1], years: [2020] }, /options.years: wanted \{year\} in url or path/],
  ];
  for (const [options, wanted] of faults)
    it(`refuses a mask with ${JSON.stringify(options)}, naming entry and option`, () => {
      assert.throws(
        () => openPlotStatistics([mask('x.tif', options)], CONFIG),
        (error: Error) => error instanceof CatalogueError && wanted.test(error.message),
      );
    });

  it('refuses losses without a last year, and tiles without a corner', () => {
    assert.throws(() => openPlotStatistics([losses('x.tif', {})], CONFIG), /options.lastYear/);
    assert.throws(() => openPlotStatistics([mask('x_{lat}.tif')], CONFIG), /wanted \{ns\}, \{ew\}, \{lon\} in/);
    assert.throws(() => openPlotStatistics([{ ...mask('x.tif'), kind: 'zarr' }], CONFIG), /wanted cog/);
  });
});

function areaHa({ coordinates }: ReturnType<typeof boxPolygon>): number {
  return polygonArea(coordinates.map((ring) => Float64Array.from(ring.flat()))).area / 10_000;
}
