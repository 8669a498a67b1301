import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MADE_UP_HEAD, randomHead } from '../../../test/detection-heads.ts';
import { ConfigError, readConfig } from '../../config/settings.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { packHead } from '../../readers/models/head-pack.ts';
import { writePack } from '../../readers/packs/pack-file.ts';
import { encodeTiff } from '../../readers/formats/tiff/encode-tiff.ts';
import { sampleCropDatasets } from '../../readers/sample-district/sample-crops.ts';
import { MILL_AT } from '../../readers/sample-district/sample-features.ts';
import { installedHeads, modelsFolder } from '../models/installed-models.ts';
import { detectionData, openDetection } from './detection.ts';

/** The middle of every map: west of it and north of it are the two halves that values are told by. */
const PLACE = [-55.5, -12.25] as const;
const SIDE = 400;
const PIXEL = 0.00025;
const signal = new AbortController().signal;
const here = pointShape(...PLACE);
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'maps-'));
});
after(async () => {
  await rm(folder, { recursive: true });
});

test('a map measures a commodity that has no head, by a threshold or by classes of any band', async () => {
  const west = await mapOf('soy', { commodity: 'soy', threshold: 60 });
  await using detection = open([west]);
  const small = await detection.sources.commodityShare('soy', here, 200, signal);
  const about = '/docs/detection-models#maps-in-place-of-a-head';
  assert.deepEqual(small?.dataset, { id: 'soy', version: '3', synthetic: false, about });
  assert.ok(Math.abs(small.value.share - 0.5) < 0.03, `${small.value.share}`);
  assert.match(small.value.detail, /^All 1\d\d pixels of the map soy, 2022; counted where it says 60 or more\.$/);
  const large = await detection.sources.commodityShare('soy', here, 4000, signal);
  assert.ok(large !== null && Math.abs(large.value.share - 0.5) < 0.06);
  assert.match(large.value.detail, /sampled pixels \(standard error 1\.\d %\) of the map soy/);
  assert.equal(detection.sources.commodityShare('cattle', here, 200, signal), null);
  assert.equal(detection.sources.commodityShare('soy', pointShape(10, 10), 200, signal), null);
  await using second = open([await mapOf('classes', { commodity: 'cattle', classes: [3, 7], band: 2 })]);
  const north = await second.sources.commodityShare('cattle', pointShape(PLACE[0] - 0.01, PLACE[1]), 200, signal);
  assert.ok(north !== null && Math.abs(north.value.share - 0.5) < 0.05, `${north?.value.share}`);
  assert.match(north.value.detail, /class 3 or 7/);
});

test('no data is what the entry says it is, and an entry that does not say is refused', async () => {
  const options = { commodity: 'soy', threshold: 60 };
  const shares: (number | undefined)[] = [];
  for (const nodata of ['absent', 'unknown'] as const) {
    await using detection = open([await mapOf(nodata, { ...options, nodata }, 10)]);
    shares.push((await detection.sources.commodityShare('soy', here, 200, signal))?.value.share);
  }
  assert.ok(Math.abs((shares[0] ?? 0) - 0.5) < 0.03);
  assert.equal(shares[1], 1);
  const told = await mapOf('told', { ...options, nodata: 'unknown', nodataValue: 10 });
  await using untagged = open([told]);
  assert.equal((await untagged.sources.commodityShare('soy', here, 200, signal))?.value.share, 1);
  assert.throws(
    () => open([{ ...told, options: { ...options, nodataValue: 0 } }]),
    /told: options.nodataValue: wanted a number, and options.nodata with it, got 0/,
  );
  await using silent = open([await mapOf('silent', options, 10)]);
  await assert.rejects(
    async () => silent.sources.commodityShare('soy', here, 200, signal),
    /options.nodata: wanted "absent" or "unknown", because the file has 10 for no data/,
  );
});

test('a place of which the file holds too little is not assessed', async () => {
  await using detection = open([await mapOf('edge', { commodity: 'soy', threshold: 60 })]);
  const beyond = pointShape(PLACE[0] + (SIDE / 2) * PIXEL + 0.002, PLACE[1]);
  assert.equal(await detection.sources.commodityShare('soy', beyond, 300, signal), null);
});

test('a map that knows the ground in part says how much of it, and one that finds more goes before it', async () => {
  const edge = pointShape(PLACE[0] + (SIDE / 2) * PIXEL, PLACE[1]);
  const west = await mapOf('west', { commodity: 'soy', threshold: 60 });
  await using alone = open([west]);
  const nothing = await alone.sources.commodityShare('soy', edge, 300, signal);
  assert.equal(nothing?.value.share, 0);
  assert.ok(Math.abs((nothing?.value.covered ?? 1) - 0.5) < 0.05, `${nothing?.value.covered}`);
  assert.equal((await alone.sources.commodityShare('soy', here, 300, signal))?.value.covered, 1);
  const east = await mapOf('east', { commodity: 'soy', threshold: 5 }, null, [PLACE[0] + 0.01, PLACE[1]]);
  await using both = open([west, east]);
  const found = await both.sources.commodityShare('soy', edge, 300, signal);
  assert.deepEqual([found?.dataset.id, found?.value.share, found?.value.covered], ['east', 1, 1]);
  const far = await alone.sources.commodityShare('soy', here, 20_000, signal);
  assert.ok(far === null || (far.value.covered ?? 1) <= 0.25, 'beyond 10 km nobody looked');
});

test('a radius smaller than a pixel is answered by the pixel that holds the place', async () => {
  await using detection = open([await mapOf('tiny', { commodity: 'soy', threshold: 60 })]);
  for (const radiusM of [1, 5, 10])
    for (const [side, share] of [
      [-1, 1],
      [1, 0],
    ] as const) {
      const place = pointShape(PLACE[0] + side * 3.001 * PIXEL, PLACE[1] + 1.999 * PIXEL);
      const found = await detection.sources.commodityShare('soy', place, radiusM, signal);
      assert.deepEqual([found?.value.share, found?.value.between], [share, [share, share]], `${radiusM} m`);
      assert.match(found?.value.detail ?? '', /^The one pixel of the map tiny/);
    }
});

test('a map comes before a head, and what comes after answers where it cannot be read', async () => {
  const head = await installHead();
  const map = await mapOf('palm-map', { commodity: 'palm', threshold: 60 });
  await using mapped = open([map, ...head.datasets], head.dataDir);
  assert.equal((await mapped.sources.commodityShare('palm', here, 200, signal))?.dataset.id, 'palm-map');
  const broken = { ...map, id: 'broken', path: join(folder, 'nowhere.tif') };
  await using both = open([broken, map], head.dataDir);
  assert.equal((await both.sources.commodityShare('palm', here, 200, signal))?.dataset.id, 'palm-map');
  await using alone = open([broken], head.dataDir);
  await assert.rejects(async () => alone.sources.commodityShare('palm', here, 200, signal), /nowhere\.tif/);
});

test('the map of the sample district is made at the first query, and answers after every map that somebody installed', async () => {
  const dataDir = join(folder, 'sample');
  const samples = sampleCropDatasets(dataDir);
  const mill = pointShape(...MILL_AT);
  await using sample = open(samples, dataDir, []);
  const { commodityShare, plantationShare } = sample.sources;
  const palm = await commodityShare('palm', mill, 5000, signal);
  assert.deepEqual(
    [palm?.dataset.id, palm?.dataset.version, palm?.dataset.synthetic],
    ['sample-district-palm', 'sample-crops-1', true],
  );
  // The estate of 1.56 km2 in the 26 km2 of the district; what lies beyond it counts neither way.
  assert.ok(palm !== null && Math.abs(palm.value.share - 0.06) < 0.02, `${palm?.value.share}`);
  assert.match(palm.value.detail, /class 1\. 6\d\d more have no data\.$/);
  assert.equal((await commodityShare('palm', mill, 150, signal))?.value.share, 1);
  assert.equal((await commodityShare('rubber', mill, 150, signal))?.value.share, 0);
  assert.deepEqual(
    [(await plantationShare(mill, 150, signal))?.dataset.id, (await plantationShare(mill, 150, signal))?.value.share],
    ['sample-district-plantations', 1],
  );
  assert.equal(commodityShare('cocoa', mill, 5000, signal), null);
  assert.equal(commodityShare('palm', pointShape(102.66, 4.6), 5000, signal), null);
  // A corner in whose circle the district is less than a quarter of the ground: not known, and not absent.
  assert.equal(await commodityShare('palm', pointShape(102.5752, 4.619), 8000, signal), null);
  const own = await mapOf('own', { commodity: 'palm', classes: [100] }, null, MILL_AT);
  await using both = open([...samples, own], dataDir, []);
  const found = await both.sources.commodityShare('palm', mill, 200, signal);
  assert.deepEqual([found?.dataset.id, found?.dataset.synthetic], ['own', false]);
});

test('a map says the same again, and nothing any more once its file was written into', async () => {
  const dataset = await mapOf('written', { commodity: 'soy', classes: [100] });
  await using detection = open([dataset]);
  const ask = async () => detection.sources.commodityShare('soy', here, 200, signal);
  const first = await ask();
  assert.ok(first !== null && Math.abs(first.value.share - 0.5) < 0.03);
  assert.deepEqual(await ask(), first);
  await mapOf('written', { commodity: 'soy', classes: [10] });
  await assert.rejects(ask, /written into|changed|replaced/);
});

test('a raster of plantations answers where no commodity is requested', async () => {
  const mask = { ...(await mapOf('mask', { classes: [100] })), role: 'plantation-mask' } as const;
  await using detection = open([mask]);
  const found = await detection.sources.plantationShare(here, 200, signal);
  assert.equal(found?.dataset.id, 'mask');
  assert.ok(Math.abs(found.value.share - 0.5) < 0.03);
});

test('an entry that cannot be used is refused with what it should say', async () => {
  for (const [options, message] of [
    [{ commodity: 'wheat', threshold: 1 }, /soy: options.commodity: wanted one of rubber, palm, .* got "wheat"/],
    [{ commodity: 'soy' }, /options.threshold: wanted either a threshold or classes/],
    [{ commodity: 'soy', threshold: 1, classes: [1] }, /wanted either a threshold or classes/],
    [{ commodity: 'soy', threshold: 'much' }, /options.threshold: wanted a number, got "much"/],
    [{ commodity: 'soy', classes: ['a'] }, /options.classes: wanted a list of numbers/],
    [{ commodity: 'soy', classes: [1], band: 0 }, /options.band: wanted a number from 1 on/],
    [{ commodity: 'soy', classes: [1], nodata: 'no' }, /options.nodata: wanted "absent" or "unknown"/],
  ] as const) {
    const dataset = await mapOf('soy', options);
    assert.throws(
      () => open([dataset]),
      (error: unknown) => error instanceof ConfigError && message.test(error.message),
    );
  }
});

function open(
  datasets: readonly Dataset[],
  dataDir: string = folder,
  heads = dataDir === folder ? [] : [HEAD(dataDir)],
) {
  const detection = openDetection(detectionData(heads, datasets, readConfig({ DATA_DIR: dataDir })));
  return { ...detection, [Symbol.asyncDispose]: () => detection.close() };
}

const HEAD = (dataDir: string) => ({
  id: 'palm-head',
  path: join(modelsFolder({ dataDir }), 'palm-head.head'),
  about: MADE_UP_HEAD,
});

/** A head without embeddings to read: it answers null. */
async function installHead(): Promise<{ readonly dataDir: string; readonly datasets: readonly Dataset[] }> {
  const dataDir = join(folder, 'with-head');
  const { path, about } = HEAD(dataDir);
  await writePack(path, packHead('palm-head', randomHead(1, 'relu', [4]), about));
  assert.equal((await installedHeads({ dataDir })).length, 1);
  return { dataDir, datasets: [] };
}

/** Two bands: 100 in the west and 10 in the east; 7 in the north and 1 in the south. */
async function mapOf(
  id: string,
  options: Readonly<Record<string, unknown>>,
  nodata: number | null = null,
  [lon, lat]: readonly [lon: number, lat: number] = PLACE,
): Promise<Dataset> {
  const values = new Uint8Array(SIDE * SIDE * 2);
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      values[2 * (row * SIDE + column)] = column < SIDE / 2 ? 100 : 10;
      values[2 * (row * SIDE + column) + 1] = row < SIDE / 2 ? 7 : 1;
    }
  }
  const half = (SIDE / 2) * PIXEL;
  const transform = [PIXEL, 0, lon - half, 0, -PIXEL, lat + half] as const;
  const raster = { width: SIDE, height: SIDE, bands: 2, sampleType: 'uint8', nodata, transform, values } as const;
  const path = join(folder, `${id}.tif`);
  await writeFile(path, encodeTiff({ ...raster, crs: 'EPSG:4326' }));
  return {
    id,
    role: 'commodity-map',
    kind: 'cog',
    path,
    coverage: { bbox: [lon - 0.5, lat - 0.75, lon + 0.5, lat + 0.25] },
    version: '3',
    date: '2022',
    licence: 'CC0-1.0',
    attribution: 'nobody',
    synthetic: false,
    options,
  };
}
