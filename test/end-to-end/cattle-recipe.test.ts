import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { utmProjection } from '../../src/geo/crs/utm.ts';
import { BANDS, NODATA } from '../../src/geo/segmentation/grid.ts';
import { encodeTiff } from '../../src/readers/formats/tiff/encode-tiff.ts';
import { codesOf } from '../detection-heads.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

const POINTS = ['aef/points_iowa.csv', 'aef/points_amazon.csv'];
const GRASS = '2';
/** In Iowa, among the labels. */
const PLACE = [-95.4, 42] as const;
/** Every so many rows are kept from the head, to be what the service looks at. */
const KEPT = 4;

/** Pixels of 10 m along each side of the raster around it. */
const SIDE = 240;

type Row = Readonly<Record<string, string>>;

/** The recipe of docs/detection-models.md#a-head-for-cattle, with real embeddings from the labels to the answer. */
describe('a head for cattle', needsSharedData(POINTS[0]), () => {
  let dataDir = '';
  let env: Record<string, string> = {};
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-cattle-'));
    await shareSampleDistrict(dataDir);
    const rows: Row[] = [];
    for (const path of POINTS)
      rows.push(...(parse(await readFile(join(SHARED_DATA, path)), { columns: true }) as Row[]));
    await writeFile(join(dataDir, 'cover.csv'), csvOf(rows.filter((_, i) => i % KEPT > 0)));
    const kept = rows.filter(({ region }, i) => i % KEPT === 0 && region === 'iowa_ag');
    const [grass, others] = [true, false].map((wanted) =>
      kept.filter((row) => (row['dw_label'] === GRASS) === wanted).map(codesOfRow),
    );
    // West of the place the ground is paved with pixels of grass that the head has not seen, east of it with all others.
    const raster = await writeRaster(dataDir, (column, row) => {
      const among = column < SIDE / 2 ? grass : others;
      return among[(row * SIDE + column) % among.length];
    });
    const catalogue = join(dataDir, 'catalogue.json');
    await writeFile(catalogue, JSON.stringify({ datasets: [raster] }));
    env = { CATALOGUE: catalogue, SAMPLE_DISTRICT: 'off' };
  });
  after(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  it('is fitted on labels of grass, with what it is worth on ground it has not seen', async () => {
    const trained = await runCommand(
      `models train --labels ${join(dataDir, 'cover.csv')} --column dw_label --positive ${GRASS} --name pasture --commodity cattle --licence CC-BY-4.0 --json`.split(
        ' ',
      ),
      { DATA_DIR: dataDir, ...env },
    );
    assert.equal(trained.code, 0, trained.err);
    const { scores, warnings } = JSON.parse(trained.out) as {
      scores: { auc: number; regions: { name: string; auc: number }[] };
      warnings: string[];
    };
    assert.ok(scores.auc >= 0.9, `${scores.auc}`);
    // What is known of it elsewhere is said: it does not carry over to the other region.
    assert.match(warnings.join(' '), /Fails in the region/);
    const listed = await runCommand(['models', 'list'], { DATA_DIR: dataDir, ...env });
    assert.match(listed.out, /^pasture +cattle +0\.\d+ +AUC 0\.9/m);
  });

  it('measures commodity presence of facilities for cattle, and distinguishes grass from other ground', async () => {
    await using service = await runService({ dataDir, env });
    const presence = async (lon: number, lat: number = PLACE[1]): Promise<Record<string, unknown>> => {
      const path = `/validate_facility?geometry=${encodeURIComponent(`POINT(${lon} ${lat})`)}&commodity_type=cattle&commodity_radius=400`;
      const { features } = (await (await service.fetch(path)).json()) as {
        features: { properties: { commodity_presence: number; evidence: Record<string, unknown>[] } }[];
      };
      const [{ properties }] = features;
      const evidence = properties.evidence.find(({ indicator }) => indicator === 'commodity_presence') ?? {};
      return { ...evidence, presence: properties.commodity_presence };
    };
    const [grass, others] = [await presence(PLACE[0] - 0.007), await presence(PLACE[0] + 0.007)];
    assert.deepEqual(
      [grass['status'], grass['dataset'], grass['synthetic'] ?? false],
      ['present', 'pasture', false],
      JSON.stringify(grass),
    );
    assert.equal(others['dataset'], 'pasture');
    assert.ok(Number(grass['presence']) > Number(others['presence']), JSON.stringify([grass, others]));
    assert.match(String(grass['detail']), /sampled pixels .* of iowa-pixels, 2024; counted by pasture/);
    // Beyond the labels nothing is claimed: no head answers there.
    const elsewhere = await presence(10, 50);
    assert.notEqual(elsewhere['dataset'], 'pasture');
  });
});

function csvOf(rows: readonly Row[]): string {
  // The last column is a geometry in JSON, which longitude and latitude say too.
  const columns = Object.keys(rows[0]).filter((column) => column !== '.geo');
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => line.join(',')).join('\n');
}

function codesOfRow(row: Row): Int8Array {
  return codesOf(Array.from({ length: 64 }, (_, band) => Number(row[`A${String(band).padStart(2, '0')}`])));
}

/** A file of embeddings around the place; the entry of a catalogue for it. */
async function writeRaster(folder: string, codesAt: (column: number, row: number) => Int8Array): Promise<unknown> {
  const values = new Int8Array(SIDE * SIDE * BANDS);
  for (let row = 0; row < SIDE; row++)
    for (let column = 0; column < SIDE; column++) values.set(codesAt(column, row), (row * SIDE + column) * BANDS);
  const xy = new Float64Array(2);
  utmProjection(15, true).toXY(...PLACE, xy, 0);
  const transform = [10, 0, xy[0] - 5 * SIDE, 0, -10, xy[1] + 5 * SIDE] as const;
  const grid = { width: SIDE, height: SIDE, bands: BANDS, sampleType: 'int8', nodata: NODATA } as const;
  const path = join(folder, 'iowa.tif');
  await writeFile(path, encodeTiff({ ...grid, values, transform, crs: 'EPSG:32615' }, { compression: 'zstd' }));
  return {
    id: 'iowa-pixels',
    role: 'embeddings',
    kind: 'cog',
    path,
    coverage: [-96, 41, -95, 43],
    version: '1',
    date: '2024',
    licence: 'CC-BY-4.0',
    attribution: 'AlphaEarth Foundations',
  };
}
