import { parse } from 'csv-parse/sync';
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { parseWkb } from '../../src/geo/shapes/wkb.ts';
import { unzipped } from '../due-diligence-export.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { boxPolygon } from '../made-up-rasters.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { FAKE_CREDENTIALS, startFakeTraces } from '../traces/fake-traces.ts';
import { find, type Node } from '../traces/v3-schema.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

/*
 * A coffee estate in the Sierra de Neiba, Dominican Republic, on real maps of tree cover and of losses: from its file to the
 * verification number. Three outlines are made up, 9 x 9 pixels each; the fourth is a part of the real protected area, north
 * of what the maps cover.
 */
const BATCH_MS = 240_000;
const RASTERS = join(SHARED_DATA, 'rasters');
const SIDE = 9 * 0.00025;
const OUTLINES = {
  Cleared: [-71.703125, 18.643125],
  Standing: [-71.700125, 18.659125],
  Pasture: [-71.716625, 18.640875],
} as const;
/** By one map of forest and one of losses, and by all layers: none says whether coffee grew there in 2020. */
const VERDICTS = {
  Cleared: ['deforestation_found', 'more_information_needed'],
  Standing: ['no_deforestation_found', 'more_information_needed'],
  Pasture: ['no_deforestation_found', 'low'],
  Beyond: ['unknown', 'more_information_needed'],
} as const;
/** What is given in the console, by label. */
const GIVEN = {
  'Country of activity (such as DE)': 'DE',
  'Country where goods cross the border': 'NL',
  'Heading (2 to 6 digits)': '0901',
  'Description with trade name': 'Coffee, not roasted',
  'Net weight (kg)': '18000',
} as const;

/** Whether the authority's side has made statements available. */
let isAvailable = false;

const shared = needsSharedData('rasters');
describe('an estate, from its file to the verification number', { skip: browserSkip() || shared.skip }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  let collection = '';
  let folder: string;
  let fake: Awaited<ReturnType<typeof startFakeTraces>>;
  withConsole((opened) => ({ service, window } = opened), {
    maps: true,
    async start(options) {
      folder = await mkdtemp(join(tmpdir(), 'firstmile-estate-'));
      const catalogue = join(folder, 'catalogue.json');
      await writeFile(catalogue, JSON.stringify({ datasets: neibaMaps() }));
      fake = await startFakeTraces({
        get availableAfterMs() {
          return isAvailable ? 0 : Infinity;
        },
      });
      const env = { CATALOGUE: catalogue, TRACES_TEST_URL: fake.base.replace(/\/$/, '') };
      return await runService({ ...options, env });
    },
  });
  after(async () => {
    await fake.close();
    await rm(folder, { recursive: true });
  });

  const card = () => window.page.getByRole('region', { name: 'File with the EU information system' });
  const status = (word: string) => card().locator('.status').getByText(word, { exact: true });
  /** Of the whole window, or of one part of it in the middle of the window. */
  const look = async (name: string, part?: ReturnType<typeof card>): Promise<void> => {
    await part?.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    assert.deepEqual(await window.axe(), []);
    assert.equal(await window.overflows(), false);
    await window.shot(`estate-${name}`);
  };

  it('is uploaded and measured on the maps of the catalogue', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await window.signIn(service.token);
    const buffer = Buffer.from(JSON.stringify({ type: 'FeatureCollection', features: estate() }));
    await chooseFile(page, { name: 'neiba.geojson', mimeType: 'application/geo+json', buffer });
    await page.getByLabel('To', { exact: true }).fill('2023-12-31');
    await look('1-file');
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: BATCH_MS });
    collection = new URL(page.url()).searchParams.get('id')!;
    await card().waitFor();
    await look('2-results');
  });

  it('has a verdict for each plot, which the console shows with its rule and its maps', async () => {
    const { page } = window;
    const answer = await service.fetch(`/fetch_deforestation_check?filename=${collection}`);
    const lines = (await answer.text()).trim().split('\n');
    const plots = lines.map((line) => JSON.parse(line) as { id: string; properties: Record<string, unknown> });
    assert.deepEqual(
      Object.fromEntries(
        plots.map(({ id, properties }) => [id, [properties['eudr_status'], properties['convergence_verdict']]]),
      ),
      VERDICTS,
    );
    await page.getByRole('button', { name: 'Plots', exact: true }).click();
    for (const [name, shown] of [
      ['Cleared', /more information needed[\s\S]*forest 2020\s*yes[\s\S]*neiba-forest/],
      ['Beyond', /more information needed[\s\S]*forest 2020\s*unknown/],
    ] as const) {
      await page
        .locator('.vtable-body [role=row]')
        .filter({ hasText: new RegExp(name) })
        .click();
      const together = page.locator('.detail section', { hasText: 'All layers together' });
      await page.locator('.detail h2').getByText(name).waitFor();
      await together.waitFor();
      assert.match(await together.innerText(), shown);
      await window.mapIdle();
      await look(`3-plot-${name.toLowerCase()}`);
      await together.scrollIntoViewIfNeeded();
      await look(`3-verdict-${name.toLowerCase()}`);
    }
  });

  it('is exported with a customs code of the day and the tier of its country', async () => {
    const { page } = window;
    await window.go(`/console/collections?id=${collection}`);
    await page.getByText('What you file').click();
    await page.getByLabel('Customs codes').fill('0901');
    await page.getByLabel('Placed or exported on').fill('2026-12-30');
    const part = page.getByRole('region', { name: 'Due diligence' });
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: BATCH_MS }),
      part.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    await part.getByText(/The archive is complete/).waitFor();
    await look('4-export', part);
    const files = unzipped(await readFile(await download.path()));
    const { law } = JSON.parse(files['dds.json']!.toString()) as {
      law: { due_diligence: string; countries: Record<string, unknown>[]; codes: Record<string, unknown>[] };
    };
    assert.deepEqual(
      law.countries.map(({ country, plots, tier }) => [country, plots, tier]),
      [['DO', 4, 'low']],
    );
    assert.deepEqual(
      law.codes.map(({ cn, in_scope: inScope, used }) => [cn, inScope, used]),
      [['0901', 'yes', true]],
    );
    assert.equal(law.due_diligence, 'simplified');
    const rows = parse<Readonly<Record<string, string>>>(files['plots.csv']!.toString(), { columns: true, bom: true });
    assert.deepEqual(
      Object.fromEntries(rows.map((row) => [row['name'], [row['eudr_status'], row['convergence_verdict']]])),
      VERDICTS,
    );
  });

  it('shows what its statement lacks, and nothing is sent', async () => {
    await card().getByLabel('User name').fill(FAKE_CREDENTIALS.username);
    await card().getByLabel('Authentication key').fill(FAKE_CREDENTIALS.authenticationKey);
    await card().getByLabel('Client id').fill(FAKE_CREDENTIALS.clientId);
    await card().getByRole('button', { name: 'Keep sealed' }).click();
    await card().getByLabel('User name').waitFor({ state: 'detached' });
    await card().getByRole('button', { name: 'See what is missing' }).click();
    await card().getByText('Not ready: nothing was sent.').waitFor();
    await card().getByText('statement.commodities[0].descriptors.goodsMeasure', { exact: false }).first().waitFor();
    assert.equal(await card().getByRole('button', { name: 'Submit' }).isDisabled(), true);
    await look('5-missing', card().getByRole('status'));
    assert.equal(fake.calls.length, 0);
  });

  it('is submitted once it is given, and warns of the plot with losses before', async () => {
    await card().getByLabel('Role').selectOption('OPERATOR');
    await card().getByLabel('Activity', { exact: true }).selectOption('IMPORT');
    await card().getByLabel('Hide the places from others').selectOption('no');
    for (const [label, value] of Object.entries(GIVEN)) await card().getByLabel(label).fill(value);
    await card().getByRole('button', { name: 'See what is missing' }).click();
    await card().getByText('Nothing is missing.').waitFor();
    await card().getByText('1 plot with deforestation after 2020').first().waitFor();
    // By all sources together, where the one map clears one of them.
    await card().getByText('2 plots need more information by all sources together').first().waitFor();
    await look('6-given', card());
    await look('7-ready', card().getByRole('status'));
    await card().getByRole('button', { name: 'Submit' }).click();
    await status('submitted').waitFor();
    await look('8-submitted', card());
    assert.equal(await card().getByText('Verification number').count(), 0, 'there is none yet');
    const [kept] = fake.statements.values();
    assert.deepEqual(filedNames(kept!.node), Object.keys(VERDICTS).toSorted());
  });

  it('has its verification number in the console, that of the other side', async () => {
    isAvailable = true;
    await status('available').waitFor();
    assert.equal(fake.statements.size, 1);
    const [kept] = fake.statements.values();
    const shown = card().locator('.pairs > div', { hasText: 'Verification number' }).locator('dd');
    assert.match(kept!.verification!, /^[0-9A-F]{8}$/);
    assert.match(await shown.innerText(), new RegExp(`^\\s*${kept!.verification!}\\b`));
    await look('9-available', card());
    await window.page.reload();
    await card().getByText(kept!.verification!).waitFor();
    await card().getByText(kept!.reference!).waitFor();
    assert.deepEqual(window.faults, []);
  });
});

/** The maps next to the repository as a catalogue of an operator names them. */
function neibaMaps(): readonly object[] {
  const map = {
    kind: 'cog',
    coverage: [-71.73775, 18.63175, -71.68975, 18.687],
    version: 'GFC-2023-v1.11',
    licence: 'CC-BY-4.0',
    attribution: 'Hansen/UMD/Google/USGS/NASA',
    synthetic: false,
  } as const;
  const path = (kind: string): string => join(RASTERS, `Hansen_GFC-2023-v1.11_${kind}_20N_080W.tif`);
  return [
    {
      ...map,
      id: 'neiba-forest',
      role: 'forest-mask',
      path: path('treecover2000'),
      date: '2000',
      options: { threshold: 30, lessLossOf: 'neiba-losses' },
    },
    {
      ...map,
      id: 'neiba-losses',
      role: 'loss-year',
      path: path('lossyear'),
      date: '2023',
      options: { baseYear: 2000, lastYear: 2023 },
    },
  ];
}

function estate(): readonly object[] {
  const half = SIDE / 2;
  const boxes = Object.entries(OUTLINES).map(
    ([id, [lon, lat]]) => [id, boxPolygon(lon - half, lat - half, lon + half, lat + half)] as const,
  );
  return [...boxes, ['Beyond', smallPart()] as const].map(([id, geometry]) => ({
    type: 'Feature',
    id,
    geometry,
    properties: {
      name: id,
      location_type: 'plot',
      commodity_type: 'coffee',
      country: 'DO',
      ProducerName: 'Cooperativa de ejemplo',
      ProductionPlace: id,
    },
  }));
}

/** The second polygon of the protected area: 2 ha, north of the maps. */
function smallPart(): object {
  const database = new DatabaseSync(join(RASTERS, 'sierra_de_neiba_478140.gpkg'), { readOnly: true });
  const [row] = database.prepare('SELECT geom FROM sierra_de_neiba_478140').all();
  database.close();
  // The header of a GeoPackage geometry: 8 bytes and, as its flags say here, a box of four doubles.
  const { geometry } = parseWkb((row!['geom'] as Uint8Array).subarray(8 + 32));
  assert.equal(geometry?.type, 'MultiPolygon');
  return { type: 'Polygon', coordinates: geometry.coordinates[1]! };
}

/** Places of production in the geodata of a filed statement. */
function filedNames(statement: Node): readonly string[] {
  const commodities = statement.children.filter(({ name }) => name === 'commodities');
  return commodities
    .flatMap(({ children }) => children.filter(({ name }) => name === 'producers'))
    .flatMap((producer) => {
      const text = Buffer.from(find(producer, 'geometryGeojson')!.text, 'base64').toString('utf8');
      const { features } = JSON.parse(text) as { features: { properties: { ProductionPlace: string } }[] };
      return features.map(({ properties }) => properties.ProductionPlace);
    })
    .toSorted();
}
