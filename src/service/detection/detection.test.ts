import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { codesOf, MADE_UP_HEAD, MODEL_FOLDER, testVectors } from '../../../test/detection-heads.ts';
import { catalogueOf, MADE_UP_PLACE, MADE_UP_SIDE, writeEmbeddings } from '../../../test/made-up-embeddings.ts';
import { needsSharedData, SHARED_DATA } from '../../../test/shared-data.ts';
import { readConfig } from '../../config/settings.ts';
import type { DetectionHead } from '../../geo/detection/head.ts';
import { pointShape, type Shape } from '../../geo/shapes/shape.ts';
import { BANDS, NODATA } from '../../geo/segmentation/grid.ts';
import { createLog } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { packHead } from '../../readers/models/head-pack.ts';
import { writePack } from '../../readers/packs/pack-file.ts';
import { installedHeads, installModel, modelsFolder, publishedModel } from '../models/installed-models.ts';
import { detectionData, openDetection, type Detection } from './detection.ts';
import { createFacilityService } from '../facilities/facilities.ts';
import { openWorld } from '../world/world.ts';

const PLACE = MADE_UP_PLACE;
const SIDE = MADE_UP_SIDE;
const signal = new AbortController().signal;
const here = pointShape(...PLACE);
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detection-'));
});
after(async () => {
  await rm(folder, { recursive: true });
});

test('every pixel of a small place is counted, and a sample of a larger one', async () => {
  await using place = await placeOf('halves', (column) => (column < SIDE / 2 ? 40 : -40));
  const all = await place.detection.sources.commodityShare('palm', here, 150, signal);
  const about = '/docs/detection-models#palm';
  assert.deepEqual(all?.dataset, { id: 'made-up-palm', version: '7', synthetic: false, about });
  assert.ok(Math.abs(all.value.share - 0.5) < 0.03, `${all.value.share}`);
  assert.match(all.value.detail, /^All 7\d\d pixels of made-up-embeddings, 2023; counted by made-up-palm from 0.5 on/);
  const some = await place.detection.sources.commodityShare('palm', here, 1000, signal);
  assert.ok(some !== null && Math.abs(some.value.share - 0.5) < 0.06, `${some?.value.share}`);
  const [, n, error] = /^(\d+) sampled pixels \(standard error (\d\.\d) %\)/.exec(some.value.detail) ?? [];
  assert.ok(Number(n) > 600 && Number(n) <= 1024, some.value.detail);
  assert.ok(Math.abs(Number(error) - 50 / Math.sqrt(Number(n))) < 0.1);
  assert.deepEqual(await place.detection.sources.commodityShare('palm', here, 1000, signal), some);
});

test('the union of all heads is the plantation mask', async () => {
  await using place = await placeOf('union', (column) => (column < SIDE / 2 ? 40 : -40));
  const plantation = await place.detection.sources.plantationShare(here, 150, signal);
  const about = '/docs/detection-models#plantation-mask';
  assert.deepEqual(plantation?.dataset, { id: 'made-up', version: '7', synthetic: false, about });
  assert.equal(plantation.value.share, 1);
  assert.match(plantation.value.detail, /made-up-palm .*; made-up-rubber /);
});

test('pixels without data are left out and reported, and a place that is mostly without is not assessed', async () => {
  await using quarter = await placeOf('quarter', (column, row) => (column < SIDE / 2 && row < SIDE / 2 ? NODATA : 40));
  const found = await quarter.detection.sources.commodityShare('palm', here, 150, signal);
  assert.equal(found?.value.share, 1);
  assert.match(found.value.detail, /1\d\d more have no data/);
  await using most = await placeOf('most', (column) => (column < SIDE * 0.51 ? 40 : NODATA));
  assert.equal(
    await most.detection.sources.commodityShare('palm', pointShape(PLACE[0] + 0.005, PLACE[1]), 600, signal),
    null,
  );
});

test('what no head, no latitude or no embeddings cover is not assessed', async () => {
  await using place = await placeOf('covered', () => 40);
  const { sources } = place.detection;
  assert.equal(sources.commodityShare('soy', here, 100, signal), null);
  assert.equal(sources.commodityShare('palm', pointShape(102.1, 24.1), 100, signal), null);
  assert.equal(sources.plantationShare(pointShape(102.1, -24.1), 100, signal), null);
  assert.equal(await sources.commodityShare('palm', pointShape(10, 3), 100, signal), null);
  const wide: Shape = { ...here, bbox: [102, 3.2, 102.19, 3.2] };
  assert.equal(sources.commodityShare('palm', wide, 100, signal), null);
});

test('synthetic embeddings are no ground for an answer', async () => {
  await using place = await placeOf('synthetic', () => 40, { synthetic: true });
  assert.equal(await place.detection.sources.commodityShare('palm', here, 100, signal), null);
});

test('a question that nobody waits for any more is dropped, and one to a broken file fails with what is wrong', async () => {
  await using place = await placeOf('aborted', () => 40);
  const abort = new AbortController();
  const asked = place.detection.sources.commodityShare('palm', here, 1000, abort.signal);
  abort.abort(new Error('gone'));
  await assert.rejects(async () => asked, /gone/);
  await writeFile(place.dataset.path!, 'no longer a TIFF');
  await using broken = await open(place.folder, place.dataset);
  await assert.rejects(async () => broken.detection.sources.commodityShare('palm', here, 100, signal), /TIFF/);
});

test('an archive that is not the published one is not installed', async () => {
  const mirror = join(folder, 'mirror');
  await mkdir(mirror);
  const model = publishedModel('fdp-2025b');
  for (const { file } of model.heads) await writeFile(join(mirror, file), 'something else');
  const config = { dataDir: join(folder, 'refused') };
  await assert.rejects(
    installModel(config, model, mirror, () => {}, signal),
    /wanted the published archive \(SHA-256 2b9b/,
  );
  assert.deepEqual(await installedHeads(config), []);
  assert.throws(() => publishedModel('fdp-2019'), /there are: fdp-2025b/);
});

test('an installed model finds palm where real pixels of palm lie', needsSharedData(MODEL_FOLDER), async () => {
  const [palm, , , other] = testVectors()['palm'].map(({ x }) => codesOf(x));
  const dataset = await writeEmbeddings(join(folder, 'real'), (column) => (column % 10 === 0 ? palm : other), {});
  const catalogue = join(folder, 'real.json');
  await writeFile(catalogue, catalogueOf(dataset));
  const config = readConfig({
    DATA_DIR: join(folder, 'real-data'),
    CATALOGUE: catalogue,
    SAMPLE_DISTRICT: 'off',
    AUTO_DATA: 'off',
  });
  await installModel(config, publishedModel('fdp-2025b'), join(SHARED_DATA, MODEL_FOLDER), () => {}, signal);
  const data = await openWorld(config, createLog({ level: 'silent', json: true }));
  try {
    const service = createFacilityService(data, config, 1_000_000);
    const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: PLACE }, properties: {} };
    const options = {
      commodity: 'palm',
      commodityText: 'palm',
      commodityRadiusM: 1000,
      checkWater: false,
      checkPort: false,
      checkRoad: false,
      checkTimeoutMs: 20_000,
    } as const;
    const { feature: result, aggregate } = await service.validateOne(feature, options, signal);
    const evidence = result.properties.evidence.find(({ indicator }) => indicator === 'commodity_presence');
    assert.equal(evidence?.dataset, 'fdp-2025b-palm');
    assert.equal(evidence.value, 1);
    assert.match(evidence.detail, /Palm on (9\.\d|1\d) % of the area within 1,000 m\. \d+ sampled pixels/);
    const cited = aggregate().datasets.find((dataset) => dataset.id === 'fdp-2025b-palm');
    assert.equal(cited?.licence, 'MIT');
    assert.match(cited.attribution, /Forest Data Partnership.*AlphaEarth/);
  } finally {
    await data.close();
  }
});

/** The code of band A00 of each pixel; -128 masks it. */
type BandAt = (column: number, row: number) => number;

interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly dataset: Dataset;
  readonly detection: Detection;
}

/** Two heads: palm is where A00 is above 0, rubber where it is below. */
async function placeOf(name: string, band: BandAt, more: Partial<Dataset> = {}): Promise<Place> {
  const own = join(folder, name);
  const dataset = await writeEmbeddings(own, (column, row) => new Int8Array(BANDS).fill(band(column, row)), more);
  for (const [commodity, sign] of [
    ['palm', 1],
    ['rubber', -1],
  ] as const) {
    const id = `made-up-${commodity}`;
    await writePack(
      join(modelsFolder({ dataDir: own }), `${id}.head`),
      packHead(id, signHead(sign), { ...MADE_UP_HEAD, commodity }),
    );
  }
  return open(own, dataset);
}

async function open(own: string, dataset: Dataset): Promise<Place> {
  const config = readConfig({ DATA_DIR: own });
  const detection = openDetection(detectionData(await installedHeads(config), [dataset], config));
  return { folder: own, dataset, detection, [Symbol.asyncDispose]: () => detection.close() };
}

function signHead(sign: 1 | -1): DetectionHead {
  return {
    edges: Array.from({ length: BANDS }, () => Float32Array.of(0)),
    width: 1,
    binWeights: Float32Array.from({ length: 2 * BANDS }, (_, row) => (row < 2 ? sign * (2 * row - 1) * 3 : 0)),
    slopes: new Float32Array(BANDS),
    bias: new Float32Array(1),
    activation: 'tanh',
    layers: [{ inputs: 1, outputs: 1, weights: Float32Array.of(5), bias: new Float32Array(1) }],
    calibration: { thresholds: new Float64Array(0), slopes: Float64Array.of(1), intercepts: Float64Array.of(0) },
  };
}
