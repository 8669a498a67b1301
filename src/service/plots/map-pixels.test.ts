import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { rasterDataset, writeMadeUpTiff } from '../../../test/made-up-rasters.ts';
import { mapPixelsOf } from './map-pixels.ts';
import { openPlotStatistics } from './statistics.ts';

const folder = mkdtempSync(join(tmpdir(), 'firstmile-pixels-'));
after(() => rmSync(folder, { recursive: true }));

const CONFIG = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
const { signal } = new AbortController();
const SIZE = 60;
const hash = (x: number, y: number): number => ((x * 73_856_093) ^ (y * 19_349_663)) >>> 3;

/** 30 m pixels in UTM zone 32, so that cells in degrees lie aslant to them. */
const utm = { width: SIZE, height: SIZE, west: 0, north: 0, pixel: 1, crs: 'EPSG:32632' } as const;
const transform = [30, 0, 610_000, 0, -30, 553_000] as const;
const maskFile = writeMadeUpTiff(folder, 'mask.tif', { ...utm, transform, at: (x, y) => hash(x, y) % 2 });
const lossFile = writeMadeUpTiff(folder, 'loss.tif', {
  ...utm,
  transform,
  // 18 to 24 stand for years, of which those up to 20 are before the cut-off.
  at: (x, y) => (hash(y, x) % 3 === 0 ? 18 + (hash(x + 1, y) % 7) : 0),
});
const CATALOGUE: readonly Dataset[] = [
  rasterDataset({ id: 'mask', role: 'forest-mask', path: maskFile, options: { classes: [1] } }),
  rasterDataset({ id: 'loss', role: 'loss-year', path: lossFile, options: { lastYear: 2024 } }),
];
const PLOT = {
  type: 'Polygon',
  coordinates: [
    [
      [9.995, 4.995],
      [10.0, 4.995],
      [10.0, 5.0],
      [9.995, 5.0],
      [9.995, 4.995],
    ],
  ],
};
const FRAME = { bbox: [9.991, 4.991, 10.004, 5.003], columns: 47, rows: 31 } as const;

async function statisticsOn(datasets: readonly Dataset[]) {
  const measurer = openPlotStatistics(datasets, CONFIG);
  const [statistics] = await measurer.measure([{ geometry: PLOT, statedHa: null }], signal);
  await measurer.close();
  assert.ok(statistics);
  return statistics;
}

/** What GDAL finds at the centre of each cell of the frame; empty texts outside the file. */
function byGdal(file: string): readonly string[] {
  const { bbox, columns, rows } = FRAME;
  const [west, south, east, north] = bbox;
  const places: string[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      places.push(
        `${west + ((column + 0.5) / columns) * (east - west)} ${north - ((row + 0.5) / rows) * (north - south)}`,
      );
  const { status, stdout, stderr } = spawnSync('gdallocationinfo', ['-wgs84', '-valonly', file], {
    input: `${places.join('\n')}\n`,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout.split('\n').slice(0, places.length);
}

const withGdal = spawnSync('gdallocationinfo', ['--version']).error === undefined ? {} : { skip: 'needs gdal-bin' };

describe('the picture of a plot', () => {
  it('shows at every cell what GDAL finds there, and years after 2020 alone', withGdal, async () => {
    await using maps = mapPixelsOf({ catalogue: CATALOGUE }, CONFIG)();
    const pixels = await maps.read(await statisticsOn(CATALOGUE), FRAME, signal);
    assert.ok(pixels);
    const forest = byGdal(maskFile).map((value) => (value === '' ? 255 : Number(value)));
    const years = byGdal(lossFile).map((value) => (Number(value) > 20 ? 2000 + Number(value) : 0));
    assert.deepEqual([...pixels.baseline], forest);
    assert.deepEqual([...pixels.lossYears], years);
    assert.ok(forest.includes(255) && forest.includes(0) && forest.includes(1) && new Set(years).size === 5);
    assert.deepEqual([pixels.baselineDataset, pixels.lossDataset], ['mask 1', 'loss 1']);
  });

  it('takes losses up to 2020 off a map of forest of an earlier year', async () => {
    const [mask, loss] = CATALOGUE as readonly [Dataset, Dataset];
    const earlier = [{ ...mask, options: { classes: [0, 1], lessLossOf: 'loss' } }, loss];
    await using maps = mapPixelsOf({ catalogue: earlier }, CONFIG)();
    const pixels = await maps.read(await statisticsOn(earlier), FRAME, signal);
    await using plain = mapPixelsOf({ catalogue: CATALOGUE }, CONFIG)();
    const whole = await plain.read(await statisticsOn(CATALOGUE), FRAME, signal);
    assert.ok(pixels && whole);
    // Everything on the file is forest but what was lost before 2021.
    const lost = [...pixels.baseline].filter((one, i) => one === 0 && whole.baseline[i] !== 255);
    assert.ok(lost.length > 50 && lost.length < FRAME.columns * FRAME.rows * 0.4, `${lost.length}`);
    assert.ok(pixels.lossYears.every((year, i) => year === 0 || pixels.baseline[i] === 1));
  });

  it('is not drawn from another version than the one that was measured', async () => {
    const statistics = await statisticsOn(CATALOGUE);
    const newer = CATALOGUE.map((dataset) => ({ ...dataset, version: '2' }));
    await using maps = mapPixelsOf({ catalogue: newer }, CONFIG)();
    assert.equal(await maps.read(statistics, FRAME, signal), null);
  });

  it('is not drawn from a file that is gone, which is reported, three times at most', async () => {
    const statistics = await statisticsOn(CATALOGUE);
    const gone = CATALOGUE.map((dataset) => ({ ...dataset, path: join(folder, 'gone.tif') }));
    const reported: unknown[] = [];
    await using maps = mapPixelsOf({ catalogue: gone }, CONFIG, (_, error) => reported.push(error))();
    for (let i = 0; i < 5; i++) assert.equal(await maps.read(statistics, FRAME, signal), null);
    assert.equal(reported.length, 3);
  });

  it('is not drawn where so many pixels lie that they could not be told apart', async () => {
    const path = writeMadeUpTiff(folder, 'fine.tif', {
      width: 2_100,
      height: 2_100,
      west: 9.99,
      north: 5.005,
      pixel: 0.00001,
      at: () => 1,
    });
    const fine = [rasterDataset({ id: 'mask', role: 'forest-mask', path, options: { classes: [1] } })];
    const failed: unknown[] = [];
    await using maps = mapPixelsOf({ catalogue: fine }, CONFIG, (_, error) => failed.push(error))();
    const statistics = await statisticsOn(fine);
    const whole = { ...FRAME, bbox: [9.98, 4.98, 10.02, 5.01] } as const;
    for (let i = 0; i < 4; i++) assert.equal(await maps.read(statistics, whole, signal), null);
    assert.deepEqual(failed, []);
    assert.ok(await maps.read(statistics, FRAME, signal));
  });

  it('ends with the export that is cancelled', async () => {
    const statistics = await statisticsOn(CATALOGUE);
    await using maps = mapPixelsOf({ catalogue: CATALOGUE }, CONFIG)();
    await assert.rejects(maps.read(statistics, FRAME, AbortSignal.abort(new Error('stopped'))), /stopped/);
  });
});
