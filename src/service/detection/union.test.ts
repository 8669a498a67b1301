import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { codesOfPoints, labelledPoints, MADE_UP_HEAD } from '../../../test/detection-heads.ts';
import { MADE_UP_PLACE, MADE_UP_SIDE, writeEmbeddings } from '../../../test/made-up-embeddings.ts';
import { needsSharedData } from '../../../test/shared-data.ts';
import { readConfig } from '../../config/settings.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import { utmProjection } from '../../geo/crs/utm.ts';
import { networkOf } from '../../geo/detection/logistic-head.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { HeadMeta } from '../../readers/models/head-pack.ts';
import type { TrainingReceipt } from '../../readers/models/training-receipt.ts';
import { encodeTiff } from '../../readers/formats/tiff/encode-tiff.ts';
import { installedHeads, writeHead } from '../models/installed-models.ts';
import { detectionData, openDetection } from './detection.ts';
import { layerSources } from '../world/source-layers.ts';

const SIDE = MADE_UP_SIDE;
const here = pointShape(...MADE_UP_PLACE);
const signal = new AbortController().signal;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'union-'));
});
after(async () => {
  await rm(folder, { recursive: true });
});

/** Band A00 is high in the north. */
const northern = (_column: number, row: number): Int8Array => new Int8Array(BANDS).fill(row < SIDE / 2 ? 60 : -60);

test('the plantation mask is what any head or any raster claims, and names them all', async () => {
  const config = await withHead('union', { commodity: 'palm' });
  const dataset = await writeEmbeddings(join(folder, 'union'), northern);
  // Claims the western half: with the northern half of the head that is three quarters.
  const mask = await rasterOf('western-mask', 'plantation-mask', (column) => column < SIDE / 2);
  await using detection = await open(config, [dataset, mask]);
  const found = await detection.sources.plantationShare(here, 150, signal);
  assert.ok(found !== null && Math.abs(found.value.share - 0.75) < 0.03, `${found?.value.share}`);
  assert.deepEqual([found.dataset.id, found.dataset.also], ['made-up', [{ id: 'western-mask', version: '1' }]]);
  assert.equal(found.dataset.about, '/docs/detection-models#plantation-mask');
  assert.match(
    found.value.detail,
    /by made-up from 0\.5 on .*; and in the map western-mask, 2022, where it says class 1\./,
  );
});

test('plantations are measured by rasters alone where no embeddings cover the place, and by heads where a raster is broken', async () => {
  const config = await withHead('alone', { commodity: 'rubber' });
  const mask = await rasterOf('alone-mask', 'plantation-mask', (column) => column < SIDE / 2);
  await using maps = await open(config, [mask]);
  const byMap = await maps.sources.plantationShare(here, 150, signal);
  assert.deepEqual([byMap?.dataset.id, byMap?.dataset.also], ['alone-mask', undefined]);
  assert.ok(Math.abs((byMap?.value.share ?? 0) - 0.5) < 0.03);
  const dataset = await writeEmbeddings(join(folder, 'alone'), northern);
  const broken = { ...mask, id: 'broken', path: join(folder, 'nowhere.tif') };
  await using both = await open(config, [dataset, broken]);
  const byHead = await both.sources.plantationShare(here, 150, signal);
  assert.equal(byHead?.dataset.id, 'made-up');
  assert.match(byHead.value.detail, /1 more could not be queried/);
  await using neither = await open({ dataDir: join(folder, 'empty') }, [broken]);
  await assert.rejects(async () => neither.sources.plantationShare(here, 150, signal), /nowhere\.tif/);
});

test('fields and pastures are no plantation, a trained head comes before a published one, and not beyond its labels', async () => {
  const config = await withHead('trained', { commodity: 'soy' });
  const dataset = await writeEmbeddings(join(folder, 'trained'), northern);
  await using soy = await open(config, [dataset]);
  assert.equal(soy.sources.plantationShare(here, 150, signal), null);
  assert.equal((await soy.sources.commodityShare('soy', here, 150, signal))?.value.share.toFixed(1), '0.5');
  const [lon, lat] = MADE_UP_PLACE;
  const training = { scores: { auc: 0.9, f1: 0.8 }, trained_at: '2026-11-21T00:00:00.000Z' } as TrainingReceipt;
  const bbox = [lon - 0.01, lat - 0.01, lon + 0.01, lat + 0.01] as const;
  const own: Partial<HeadMeta> = { commodity: 'soy', training, bbox, model: 'zz-own' };
  await writeHead(config, 'zz-own', networkOf(headOn(-1)), { ...MADE_UP_HEAD, ...own });
  await using both = await open(config, [dataset]);
  const found = await both.sources.commodityShare('soy', here, 150, signal);
  assert.deepEqual([found?.dataset.id, found?.dataset.about], ['zz-own', '/docs/detection-models#heads-of-your-own']);
  const beside = await both.sources.commodityShare('soy', pointShape(lon + 0.0101, lat), 5, signal);
  assert.equal(beside?.dataset.id, 'made-up');
});

test('a head of generated embeddings answers over those alone, and says that they are', async () => {
  const config = await withHead('synthetic', { commodity: 'palm', synthetic: true });
  const real = await writeEmbeddings(join(folder, 'synthetic'), northern);
  await using wrong = await open(config, [real]);
  assert.equal(await wrong.sources.commodityShare('palm', here, 150, signal), null);
  await using right = await open(config, [{ ...real, synthetic: true }]);
  const found = await right.sources.commodityShare('palm', here, 150, signal);
  assert.deepEqual([found?.dataset.synthetic, found?.value.share.toFixed(1)], [true, '0.5']);
});

test(
  'ground built on is found by the head of the service where embeddings of ones own lie',
  needsSharedData('aef'),
  async () => {
    const codes = codesOfPoints('points_iowa.csv');
    const covers = labelledPoints('points_iowa.csv').map(({ cover }, i) => ({ cover, i }));
    const rowsOf = (wanted: number): number[] => covers.filter(({ cover }) => cover === wanted).map(({ i }) => i);
    const labels = { built: rowsOf(6), crops: rowsOf(4) };
    const pixel = (i: number): Int8Array => codes.subarray(i * BANDS, (i + 1) * BANDS);
    const city = (column: number, row: number): Int8Array =>
      pixel(labels.built[(column * 31 + row * 7) % labels.built.length]);
    const fields = (column: number, row: number): Int8Array =>
      pixel(labels.crops[(column * 31 + row * 7) % labels.crops.length]);
    const config = { dataDir: join(folder, 'nothing-installed') };
    for (const [name, at, dense] of [
      ['city', city, true],
      ['fields', fields, false],
    ] as const) {
      const dataset = await writeEmbeddings(join(folder, name), at);
      await using detection = await open(config, [dataset]);
      const found = await detection.sources.density(here, signal);
      assert.deepEqual([found?.dataset.id, found?.value.dense], ['firstmile-built-up', dense]);
      assert.match(
        found?.value.detail ?? '',
        /^\d+ % of the ground within 500 m is built up, (not )?more than the 50 % of dense ground\. \d+ sampled pixels .* of made-up-embeddings, 2023; counted by firstmile-built-up from 0\.7 on/,
      );
      assert.equal(detection.sources.density(pointShape(10, 10), signal), null);
    }
  },
);

test('a raster of built-up ground comes before the head, and settlements answer at once where nobody wants models', async () => {
  const dataset = await writeEmbeddings(join(folder, 'raster'), northern);
  const raster = await rasterOf('city-map', 'built-up', () => true);
  const config = { dataDir: join(folder, 'nothing-installed') };
  await using detection = await open(config, [dataset, raster]);
  const found = await detection.sources.density(here, signal);
  assert.deepEqual([found?.dataset.id, found?.value.dense], ['city-map', true]);
  await using far = await open(config, [{ ...dataset, path: undefined, url: 'http://127.0.0.1:9/x.tif' } as never]);
  assert.equal(far.sources.density(here, signal), null);
  await using generated = await open(config, [{ ...dataset, synthetic: true }]);
  assert.equal(generated.sources.density(here, signal), null);
});

test('settlements answer when embeddings do not come in half the time of a check', async () => {
  const config = await withHead('slow', { commodity: 'palm' });
  // A port that takes connections and never answers.
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const dataset = await writeEmbeddings(join(folder, 'slow'), northern);
  const remote = { ...dataset, path: undefined, url: `http://127.0.0.1:${port}/x.tif` } as never;
  await using detection = await open({ ...config, CHECK_TIMEOUT_MS: '400' }, [remote]);
  const settlements: Pick<FacilitySources, 'density'> = {
    density: () => ({
      dataset: { id: 'settlements', version: '1', synthetic: false },
      value: { dense: false, detail: 'No settlement.' },
    }),
  };
  const failed: string[] = [];
  const { density } = layerSources([detection.sources, settlements], (what) => failed.push(what));
  const found = await density(here, signal);
  silent.close();
  assert.equal(found?.dataset.id, 'settlements');
  assert.match(found.dataset.note ?? '', /another dataset answered/);
  assert.deepEqual(failed, ['density']);
});

/** Claims where band A00 is above 0, or below. */
function headOn(sign: 1 | -1) {
  return { weights: Array.from({ length: BANDS }, (_, band) => (band === 0 ? 40 * sign : 0)), bias: 0 };
}

async function withHead(name: string, more: Partial<HeadMeta>): Promise<{ readonly dataDir: string }> {
  const config = { dataDir: join(folder, `${name}-data`) };
  await writeHead(config, 'made-up', networkOf(headOn(1)), { ...MADE_UP_HEAD, ...more });
  return config;
}

async function open(
  { dataDir, ...env }: { readonly dataDir: string; readonly CHECK_TIMEOUT_MS?: string },
  datasets: readonly Dataset[],
) {
  const config = readConfig({ DATA_DIR: dataDir, ...env });
  const detection = openDetection(detectionData(await installedHeads(config), datasets, config));
  return { ...detection, [Symbol.asyncDispose]: () => detection.close() };
}

/** A raster of 1 and 0 on the pixels of the embeddings. */
async function rasterOf(id: string, role: Dataset['role'], isThere: (column: number) => boolean): Promise<Dataset> {
  const xy = new Float64Array(2);
  utmProjection(47, true).toXY(...MADE_UP_PLACE, xy, 0);
  const transform = [10, 0, xy[0] - 5 * SIDE, 0, -10, xy[1] + 5 * SIDE] as const;
  const values = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (isThere(i % SIDE) ? 1 : 0));
  const path = join(folder, `${id}.tif`);
  const raster = { width: SIDE, height: SIDE, bands: 1, sampleType: 'uint8', nodata: null, transform, values } as const;
  await writeFile(path, encodeTiff({ ...raster, crs: 'EPSG:32647' }));
  return {
    id,
    role,
    kind: 'cog',
    path,
    coverage: { bbox: [102, 3, 103, 4] },
    version: '1',
    date: '2022',
    licence: 'CC0-1.0',
    attribution: 'nobody',
    synthetic: false,
    options: { classes: [1] },
  };
}
