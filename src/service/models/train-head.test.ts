import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { MADE_UP_PLACE, MADE_UP_SIDE, writeEmbeddings } from '../../../test/made-up-embeddings.ts';
import { readConfig } from '../../config/settings.ts';
import { utmProjection } from '../../geo/crs/utm.ts';
import { evaluatePlain } from '../../geo/detection/evaluate-plain.ts';
import { createEvaluator } from '../../geo/detection/evaluate.ts';
import { evaluateLogistic, networkOf } from '../../geo/detection/logistic-head.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { BANDS, NODATA } from '../../geo/segmentation/grid.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { installedHeads, openHead, removeHeads } from './installed-models.ts';
import { openForestSources } from '../forest/sources.ts';
import { trainHead, type TrainingRequest } from './train-head.ts';
import { readTrainingLabels } from './training-labels.ts';
import { readLabelledPoint } from './training-point.ts';
import { runs } from '../../../test/property-runs.ts';

const signal = new AbortController().signal;
const COLUMNS = { label: 'label', positive: null };
const SIDE = MADE_UP_SIDE;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'train-'));
});
after(async () => {
  await rm(folder, { recursive: true });
});

test('a head is fitted on the pixels of labels, and stored with scores, years and the digest of its labels', async () => {
  const dataset = await writeEmbeddings(join(folder, 'fit'), noisy);
  const path = await labelsAt('fit', pixelsOf(400), ({ column }) => column < SIDE / 2);
  const receipt = await train('fit', path, [dataset]);
  assert.ok(receipt.scores.auc > 0.97, `${receipt.scores.auc}`);
  assert.ok(receipt.scores.f1 > 0.85, `${receipt.scores.f1}`);
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  assert.deepEqual(
    [receipt.labels.sha256, receipt.years, receipt.embeddings],
    [sha256, [2023], ['made-up-embeddings']],
  );
  assert.equal(receipt.scores.folds.length, 5);
  assert.equal(receipt.labels.positive + receipt.labels.negative + receipt.labels.duplicates, 400);
  const [head] = await installedHeads({ dataDir: join(folder, 'fit-data') });
  assert.deepEqual([head.id, head.about.commodity, head.about.licence], ['fit', 'palm', 'CC0-1.0']);
  assert.equal(head.about.version, `2026-11-21-${sha256.slice(0, 8)}`);
  assert.deepEqual(head.about.training?.scores, receipt.scores);
  const probabilities = createEvaluator(await openHead(head)).evaluate(
    Int8Array.from([...noisy(10, 50), ...noisy(SIDE - 10, 50)]),
  );
  assert.ok(probabilities[0] >= head.about.threshold && probabilities[1] < head.about.threshold);
  const [west, south, east, north] = head.about.bbox ?? [0, 0, 0, 0];
  const [lon, lat] = MADE_UP_PLACE;
  assert.ok(west < lon && east > lon && south < lat && north > lat && east - west < 0.04);
  assert.deepEqual(await removeHeads({ dataDir: join(folder, 'fit-data') }, 'fit'), ['fit']);
  await assert.rejects(
    removeHeads({ dataDir: join(folder, 'fit-data') }, 'fit'),
    /no head or model "fit"; there are: none/,
  );
});

test('rows of one pixel count once, contradictions and rows without data count not at all, and all are reported', async () => {
  const dataset = await writeEmbeddings(join(folder, 'counts'), (column, row) =>
    row === 0 ? new Int8Array(BANDS).fill(NODATA) : noisy(column, row),
  );
  const pixels = pixelsOf(300).filter(({ row }) => row > 0);
  const isThere = ({ column }: Pixel): boolean => column < SIDE / 2;
  const twice = pixels.slice(0, 7);
  const contrary = pixels.slice(10, 13);
  const without = [5, 6, 7, 8].map((column) => ({ column, row: 0 }));
  const distinct = new Set(pixels.map(({ column, row }) => `${column} ${row}`)).size;
  const path = await labelsAt('counts', [...pixels, ...twice, ...without], isThere, (pixel) =>
    contrary.includes(pixel) ? [isThere(pixel), !isThere(pixel)] : [isThere(pixel)],
  );
  const { labels } = await train('counts', path, [dataset]);
  assert.equal(labels.rows, pixels.length + 7 + 4 + 3);
  assert.deepEqual([labels.without_embeddings, labels.contradictions >= 6], [4, true]);
  assert.equal(labels.positive + labels.negative, distinct - 3);
  assert.equal(
    labels.positive + labels.negative + labels.duplicates + labels.contradictions + labels.without_embeddings,
    labels.rows,
  );
});

test('labels of a year are read from the embeddings of that year', async () => {
  const now = await writeEmbeddings(join(folder, 'now'), noisy, { id: 'now', date: '2023' });
  // The other way round two years before.
  const before = await writeEmbeddings(join(folder, 'before'), (column, row) => noisy(SIDE - 1 - column, row), {
    id: 'before',
    date: '2021',
  });
  const pixels = pixelsOf(400);
  const year = (i: number): number | undefined => (i % 2 === 0 ? 2021 : undefined);
  const isThere = ({ column }: Pixel, i: number): boolean =>
    year(i) === 2021 ? column >= SIDE / 2 : column < SIDE / 2;
  const path = await labelsAt('years', pixels, isThere, undefined, year);
  const receipt = await train('years', path, [now, before]);
  assert.deepEqual(
    [receipt.years, receipt.embeddings],
    [
      [2021, 2023],
      ['before', 'now'],
    ],
  );
  assert.ok(receipt.scores.auc > 0.97);
  assert.ok(receipt.warnings.some((warning) => /several years \(2021, 2023\)/.test(warning)));
});

test('too few labels, labels in one corner, labels that show nothing and mixed ground are refused, and nothing is kept', async () => {
  const dataset = await writeEmbeddings(join(folder, 'refused'), noisy);
  const half = ({ column }: Pixel): boolean => column < SIDE / 2;
  const few = await labelsAt('few', pixelsOf(80), (_, i) => i < 30);
  await assert.rejects(
    train('few', few, [dataset]),
    /too few labels: wanted 50 pixels with the label "there" .*, got (29|30)$/,
  );
  const close = await labelsAt('close', pixelsOf(300), half);
  await assert.rejects(
    train('close', close, [dataset], { blockDegrees: 0.1 }),
    /too close together: wanted "there" in 5 blocks of 0.1 degrees, got it in [12]; spread the labels/,
  );
  const random = seededRandom(5);
  const nothing = await labelsAt('nothing', pixelsOf(400), () => random() < 0.5);
  await assert.rejects(train('nothing', nothing, [dataset]), /show nothing .* area under the curve of 0\.[3-6]/);
  const generated = await writeEmbeddings(join(folder, 'generated'), noisy, {
    id: 'generated',
    date: '2021',
    synthetic: true,
  });
  const mixed = await labelsAt('mixed', pixelsOf(300), half, undefined, (i) => (i % 2 === 0 ? 2021 : undefined));
  await assert.rejects(
    train('mixed', mixed, [dataset, generated]),
    /all in generated embeddings or all in real ones, got both/,
  );
  assert.deepEqual(await installedHeads({ dataDir: join(folder, 'few-data') }), []);
  assert.deepEqual(await installedHeads({ dataDir: join(folder, 'nothing-data') }), []);
});

test('a head of few labels and one region is kept with a warning, and embeddings that fail stop the training', async () => {
  const dataset = await writeEmbeddings(join(folder, 'warned'), noisy);
  const random = seededRandom(9);
  const path = await labelsAt('warned', pixelsOf(300), ({ column }) => column < SIDE / 2 !== random() < 0.25);
  const { warnings, scores } = await train('warned', path, [dataset], { blockDegrees: 0.003 });
  assert.ok(
    scores.auc < 0.85 && warnings.some((warning) => /^Poor: an area under the curve of 0\.[678]/.test(warning)),
    `${scores.auc}`,
  );
  assert.ok(
    warnings.some((warning) => warning.startsWith('No region could be held out')),
    warnings.join(),
  );
  await assert.rejects(train('failing', path, [{ ...dataset, path: join(folder, 'nowhere.tif') }]), /ENOENT|nowhere/);
});

test('a file of labels is read whole or refused with its rows', async () => {
  const csv = join(folder, 'labels.csv');
  const bands = Array.from({ length: BANDS }, (_, band) => `A${String(band).padStart(2, '0')}`);
  await writeFile(
    csv,
    `Longitude,Latitude,label,${bands.join(',')}\n102.1,3.2,1,${bands.map(() => '0.1').join(',')}\n`,
  );
  const { points } = await readTrainingLabels(csv, COLUMNS, signal);
  assert.deepEqual([points[0].lon, points[0].isThere, points[0].values?.[63]], [102.1, true, 0.1]);
  await writeFile(csv, 'lon;lat;label\n102,3,maybe\n102;3;1\n200;3;1\n102;;0\n102;3;\n');
  await assert.rejects(
    readTrainingLabels(csv, COLUMNS, signal),
    /row 4: wanted a longitude and a latitude in degrees, got 200, 3; row 5: .*; row 6: label: wanted a label, got nothing/,
  );
  const geojson = join(folder, 'line.geojson');
  await writeFile(
    geojson,
    JSON.stringify({
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
      properties: { label: 1 },
    }),
  );
  await assert.rejects(
    readTrainingLabels(geojson, COLUMNS, signal),
    /row 1: geometry: wanted a Point, got "LineString"/,
  );
  await writeFile(geojson, '');
  await assert.rejects(readTrainingLabels(geojson, COLUMNS, signal), /got an empty file/);
});

test('whatever stands in a row, it is a labelled point or a fault in words', () => {
  fc.assert(
    fc.property(
      fc.anything(),
      fc.dictionary(fc.constantFrom('label', 'year', 'region', 'lon', 'lat', 'A00'), fc.anything()),
      (geometry, properties) => {
        const read = readLabelledPoint(geometry ?? null, properties, COLUMNS);
        if ('fault' in read) assert.ok(read.fault.length > 0);
        else assert.ok(Math.abs(read.lon) <= 180 && Math.abs(read.lat) <= 90 && typeof read.isThere === 'boolean');
      },
    ),
    { numRuns: runs(500) },
  );
  const point = { type: 'Point', coordinates: [0, 0] };
  const read = readLabelledPoint(
    point,
    { label: 'pasture', year: '2020', region: 'north' },
    { label: 'label', positive: 'pasture' },
  );
  assert.deepEqual(read, { lon: 0, lat: 0, isThere: true, year: 2020, region: 'north', values: null });
});

test('a logistic head as a network gives the same probabilities by both ways', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = seededRandom(seed);
      const head = { weights: Array.from({ length: BANDS }, () => random() * 10 - 5), bias: random() - 0.5 };
      const codes = Int8Array.from({ length: 37 * BANDS }, () => Math.floor(random() * 255) - 127);
      codes[5 * BANDS] = NODATA;
      const wanted = evaluateLogistic(head, codes);
      for (const got of [evaluatePlain(networkOf(head), codes), createEvaluator(networkOf(head)).evaluate(codes)])
        got.forEach((probability, i) =>
          assert.ok(i === 5 ? Number.isNaN(probability) : Math.abs(probability - wanted[i]) < 1e-5),
        );
    }),
    { numRuns: 30 },
  );
});

interface Pixel {
  readonly column: number;
  readonly row: number;
}

/** Codes that tell west from east through noise. */
function noisy(column: number, row: number): Int8Array {
  const random = seededRandom(column * 1000 + row);
  const middle = column < SIDE / 2 ? 22 : -22;
  return Int8Array.from({ length: BANDS }, (_, band) => Math.round((band < 4 ? middle : 0) + (random() - 0.5) * 90));
}

/** Pixels drawn over all of the made-up embeddings. */
function pixelsOf(count: number): Pixel[] {
  const random = seededRandom(count);
  return Array.from({ length: count }, () => ({
    column: Math.floor(random() * SIDE),
    row: Math.floor(random() * SIDE),
  }));
}

async function labelsAt(
  name: string,
  pixels: readonly Pixel[],
  isThere: (pixel: Pixel, i: number) => boolean,
  labelsOf: (pixel: Pixel, i: number) => readonly boolean[] = (pixel, i) => [isThere(pixel, i)],
  year: (i: number) => number | undefined = () => undefined,
): Promise<string> {
  const projection = utmProjection(47, true);
  const xy = new Float64Array(2);
  projection.toXY(...MADE_UP_PLACE, xy, 0);
  const lonLat = new Float64Array(2);
  const features = pixels.flatMap((pixel, i) => {
    const { column, row } = pixel;
    projection.toLonLat(xy[0] + (column - SIDE / 2 + 0.5) * 10, xy[1] + (SIDE / 2 - row - 0.5) * 10, lonLat, 0);
    const geometry = { type: 'Point', coordinates: [...lonLat] };
    return labelsOf(pixel, i).map((label) => ({
      type: 'Feature',
      geometry,
      properties: { label, ...(year(i) === undefined ? {} : { year: year(i) }) },
    }));
  });
  const path = join(folder, `${name}.geojson`);
  await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features }));
  return path;
}

async function train(name: string, path: string, datasets: readonly Dataset[], more: Partial<TrainingRequest> = {}) {
  const config = readConfig({ DATA_DIR: join(folder, `${name}-data`) });
  const opened = await openForestSources(datasets, config);
  try {
    const request = {
      labels: await readTrainingLabels(path, COLUMNS, signal),
      columns: COLUMNS,
      name,
      commodity: 'palm',
      blockDegrees: 0.002,
      licence: 'CC0-1.0',
      attribution: 'nobody',
      now: new Date('2026-11-21T12:00:00Z'),
      ...more,
    };
    return await trainHead(config, request, opened.embeddings, signal);
  } finally {
    await opened.close();
  }
}
