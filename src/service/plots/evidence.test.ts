import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { castVote } from '../../plots/cast-vote.ts';
import type { Evidence } from '../../plots/evidence.ts';
import { CatalogueError } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { boxPolygon, rasterDataset, writeMadeUpTiff, type MadeUpRaster } from '../../../test/made-up-rasters.ts';
import { openPlotStatistics, type MeasurablePlot } from './statistics.ts';

const folder = mkdtempSync(join(tmpdir(), 'firstmile-evidence-'));
after(() => rmSync(folder, { recursive: true }));
const CONFIG = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
const { signal } = new AbortController();
const PIXEL = 0.00025;
let files = 0;

function write(raster: Partial<MadeUpRaster> & Pick<MadeUpRaster, 'at'>): string {
  const whole = { width: 40, height: 40, west: 10, north: 5, pixel: PIXEL, ...raster };
  return writeMadeUpTiff(folder, `raster-${files++}.tif`, whole);
}

const layer = (id: string, path: string, options: Dataset['options'], change: Partial<Dataset> = {}): Dataset =>
  rasterDataset({ id, role: 'evidence', path, options, date: '2020', ...change });

/** A box of pixels from the upper left corner of the raster. */
function pixels(x0: number, y0: number, x1: number, y1: number): MeasurablePlot {
  return { geometry: boxPolygon(10 + x0 * PIXEL, 5 - y1 * PIXEL, 10 + x1 * PIXEL, 5 - y0 * PIXEL), statedHa: null };
}

async function evidenceOn(datasets: readonly Dataset[], ...plots: readonly MeasurablePlot[]) {
  const measurer = openPlotStatistics(datasets, CONFIG);
  const statistics = await measurer.measure(plots, signal);
  await measurer.close();
  return statistics.map(({ evidence = [], areaHa, ground }) => ({ evidence, areaHa, ground }));
}

function share(evidence: readonly Evidence[], dataset: string, indicator: string, areaHa: number): number | string {
  const one = evidence.find((found) => found.dataset === dataset && found.indicator === indicator);
  assert.ok(one !== undefined, `${dataset} does not vote on ${indicator}`);
  return 'reason' in one ? one.reason : Math.round((one.yesHa / areaHa) * 1000) / 1000;
}

describe('the evidence on a plot', () => {
  it('is the share of each question of a layer, by the part of each pixel inside', async () => {
    const types = write({ at: (x) => (x < 4 ? 10 : x < 8 ? 20 : 0) });
    const votes = [
      { indicator: 'primary_forest_2020', classes: [10] },
      { indicator: 'planted_forest_2020', from: 20, to: 29 },
      { indicator: 'forest_2020', from: 1 },
    ];
    const [{ evidence, areaHa }] = await evidenceOn([layer('types', types, { votes })], pixels(2.5, 3, 12.5, 9));
    assert.equal(share(evidence, 'types', 'primary_forest_2020', areaHa), 0.15);
    assert.equal(share(evidence, 'types', 'planted_forest_2020', areaHa), 0.4);
    assert.equal(share(evidence, 'types', 'forest_2020', areaHa), 0.55);
    assert.ok(evidence.every(({ contract, date }) => contract === 'local' && date === '2020'));
  });

  it('is of every layer, the baseline or not, of the same pixels or of others', async () => {
    const layers = [
      rasterDataset({ id: 'first', role: 'forest-mask', path: write({ at: () => 0 }), options: { classes: [1] } }),
      rasterDataset({ id: 'second', role: 'forest-mask', path: write({ at: () => 1 }), options: { classes: [1] } }),
      rasterDataset({
        id: 'fine',
        role: 'forest-mask',
        path: write({ width: 120, height: 120, pixel: PIXEL / 3, at: (x) => Number(x % 3 === 0) }),
        options: { classes: [1] },
      }),
    ];
    const [{ evidence, areaHa }] = await evidenceOn(layers, pixels(2, 2, 12, 12));
    assert.deepEqual(
      ['first', 'second', 'fine'].map((id) => share(evidence, id, 'forest_2020', areaHa)),
      [0, 1, 0.333],
    );
  });

  it('of losses is before and after the cut-off, and of an older map what was not lost up to it', async () => {
    const lost = write({ at: (x) => (x < 2 ? 12 : x < 5 ? 22 : 0) });
    const layers = [
      rasterDataset({
        id: 'trees',
        role: 'forest-mask',
        path: write({ at: () => 80 }),
        options: { threshold: 30, lessLossOf: 'losses' },
        date: '2000',
      }),
      rasterDataset({ id: 'losses', role: 'loss-year', path: lost, options: { lastYear: 2024 } }),
    ];
    const [{ evidence, areaHa }] = await evidenceOn(layers, pixels(0, 0, 10, 10));
    assert.equal(share(evidence, 'losses', 'disturbance_before_2020', areaHa), 0.2);
    assert.equal(share(evidence, 'losses', 'disturbance_after_2020', areaHa), 0.3);
    assert.equal(share(evidence, 'trees', 'forest_2020', areaHa), 0.8);
  });

  it('at the edge of a layer is unknown where the rest decides, and nothing of a layer that does not reach it', async () => {
    const half = layer('half', write({ width: 10, at: () => 0 }), { votes: [{ indicator: 'forest_2020', from: 1 }] });
    const away = { ...half, id: 'away', coverage: { bbox: [50, 0, 51, 1] } } as const;
    const [edge, outside] = await evidenceOn([half, away], pixels(5, 5, 15, 10), pixels(20, 5, 30, 10));
    const vote = castVote(edge.evidence[0], { ...edge, until: '2024-12-31' });
    assert.deepEqual([edge.evidence.length, vote.state, vote.coveredShare], [1, 'unknown', 0.5]);
    assert.match(vote.reason ?? '', /half covers 50\.0 % of the plot/);
    assert.equal(share(outside.evidence, 'half', 'forest_2020', outside.areaHa), 'half has no data there');
  });

  it('of a point is that of the circle of its area', async () => {
    const found = await evidenceOn(
      [layer('crops', write({ at: (x) => Number(x < 20) }), { votes: [{ indicator: 'commodities_2020', from: 1 }] })],
      { geometry: { type: 'Point', coordinates: [10 + 20 * PIXEL, 5 - 20 * PIXEL] }, statedHa: 4 },
    );
    assert.equal(found[0].ground, 'circle');
    assert.equal(share(found[0].evidence, 'crops', 'commodities_2020', 4), 0.5);
  });

  it('of a layer that is damaged is unknown, and leaves those with the same pixels alone', async () => {
    const votes = [{ indicator: 'forest_2020', from: 1 }];
    const sound = write({ at: () => 1 });
    const [damaged, missing] = [write({ at: (x, y) => (x * 7 + y * 13) % 251 }), join(folder, 'none.tif')];
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(damaged);
    writeFileSync(damaged, bytes.fill(0, 8, Math.floor(bytes.length / 3)));
    const [{ evidence, areaHa }] = await evidenceOn(
      [layer('damaged', damaged, { votes }), layer('missing', missing, { votes }), layer('sound', sound, { votes })],
      pixels(2, 2, 20, 20),
    );
    assert.equal(share(evidence, 'sound', 'forest_2020', areaHa), 1);
    assert.match(String(share(evidence, 'missing', 'forest_2020', areaHa)), /^missing: /);
  });

  it('on made-up ground is that of synthetic layers alone', async () => {
    const votes = [{ indicator: 'forest_2020', from: 1 }];
    const made = layer('made', write({ width: 10, at: () => 1 }), { votes }, { synthetic: true });
    const real = layer('real', write({ at: () => 0 }), { votes });
    const [inside, outside] = await evidenceOn([real, made], pixels(1, 1, 9, 9), pixels(20, 1, 29, 9));
    assert.deepEqual(
      inside.evidence.map(({ dataset, synthetic }) => [dataset, synthetic]),
      [['made', true]],
    );
    assert.equal(share(outside.evidence, 'real', 'forest_2020', outside.areaHa), 0);
  });

  it('of an entry that cannot be understood is refused with entry and option', () => {
    const refused = (options: Dataset['options'], message: RegExp): void => {
      assert.throws(
        () => openPlotStatistics([layer('odd', '/none.tif', options)], CONFIG),
        (error: Error) => error instanceof CatalogueError && message.test(error.message),
      );
    };
    refused({}, /odd: options\.votes: wanted a list of questions, got nothing/);
    refused({ votes: [] }, /a list of 1 to 7 questions/);
    refused({ votes: [{ indicator: 'trees', from: 1 }] }, /indicator: wanted one of forest_2020, .*got "trees"/);
    refused({ votes: [{ indicator: 'forest_2020' }] }, /classes, or a number from which on/);
    refused({ votes: [{ indicator: 'forest_2020', from: 5, to: 1 }] }, /votes\[0\]\.to: wanted a number from 5 on/);
  });
});
