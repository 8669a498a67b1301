import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { rasterDataset } from '../made-up-rasters.ts';
import { startFakeTraces } from '../traces/fake-traces.ts';
import type { ConsoleWindow } from './browser.ts';
import {
  checked,
  deliveries,
  filed,
  lookedUp,
  processed,
  processedAgain,
  reviewed,
  runsOf,
  watched,
} from './tour-work.ts';

/* The views of the console, with work in them, for what is looked at in each: pictures, languages, sources that are away. */

/** One picture's worth of the console. */
export interface View {
  readonly name: string;
  /** Within the console, such as `forest?at=4.6,102.61`. */
  readonly path: string;
  /** What is done there; by what it is and not by its words, which are in any language. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Places of each kind: rated, of low score, without a place, not readable, outside of all data, and a plot. */
const PLACES = `name,supplier,commodity,latitude,longitude,address
Kilang Sawit Contoh,PT Contoh,palm,4.5821,102.6124,
Gudang Getah,PT Contoh,rubber,4.5990,102.5853,
Station,Siti,palm,4.6102,102.6053,
At sea,Siti,palm,2.0,90.0,
Far away,Ana,cocoa,6.7,-1.6,
Polar,Ana,cocoa,70.2,25.1,
Without a place,Ana,palm,,,
Not readable,Budi,palm,north,102.6,
`;
const ROWS = `name,supplier,country,commodity,latitude,longitude,area_ha
Too large,Siti,MY,palm,4.6001,102.6003,9
Few decimals,Siti,MY,palm,4.6,102.6,1
Elsewhere,Budi,GH,cocoa,4.6100001,102.6100001,2
Not readable,Budi,MY,palm,north,102.6,2
Mill,Budi,MY,palm,4.5821,102.6124,
`;
/** On ground whose datasets are all unreachable. */
const UNREACHED = `id,name,supplier,country,commodity,latitude,longitude,area_ha,location_type
A1,Kampung Satu,Siti,MY,palm,2.2,102.5,2,plot
A2,Kampung Dua,Siti,MY,palm,2.2,102.6,2,plot
A3,Mill,Siti,MY,palm,2.2,102.55,,facility
`;
/** Outlines in the sample district. */
const box = (west: number, south: number, east: number, north: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
/** Across several stands. */
const ACROSS = areas([['Across', 'rubber', box(102.599, 4.6, 102.606, 4.606)]]);
/** One that crosses itself, and a usable one. */
const FACILITIES = areas(
  [
    [
      'Crossed mill',
      'palm',
      [
        [102.61, 4.58],
        [102.612, 4.582],
        [102.612, 4.58],
        [102.61, 4.582],
        [102.61, 4.58],
      ],
    ],
    ['Mill yard', 'palm', box(102.6118, 4.5818, 102.613, 4.583)],
  ],
  { location_type: 'facility' },
);
const FOREST_PLACES = [
  ['Blok Ann', 102.61, 4.6],
  ['Blok Budi', 102.6, 4.59],
  ['Pole', 0, 89],
] as const;

function areas(
  all: readonly (readonly [name: string, commodity: string, ring: number[][]])[],
  more: Readonly<Record<string, string>> = {},
): string {
  const features = all.map(([name, commodity, ring]) => ({
    type: 'Feature',
    properties: { name, commodity, ...more },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

/** Nobody listens there: every request is refused at once. */
const NOWHERE = 'http://127.0.0.1:9/';
const CHOSEN = {
  name: 'suppliers of palm.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(PLACES.replaceAll('latitude', 'Lintang').replaceAll('longitude', 'Titik B')),
};

/** A service with datasets that nobody can reach, and an information system to file with. */
export async function runTourService(): Promise<RunningProcess> {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-tour-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const fake = await startFakeTraces();
  stack.defer(() => fake.close());
  const catalogue = join(folder, 'catalogue.json');
  await writeFile(catalogue, JSON.stringify({ datasets: unreachable() }));
  const service = stack.use(
    await runService({
      database: 'embedded',
      env: {
        WEBHOOK_ALLOW_LOCAL: 'on',
        CATALOGUE: catalogue,
        MODELS: 'manual',
        TRACES_TEST_URL: fake.base.replace(/\/$/, ''),
      },
    }),
  );
  return { ...service, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function unreachable(): readonly object[] {
  const down = (id: string, role: Parameters<typeof rasterDataset>[0]['role'], rest: object = {}) => ({
    ...rasterDataset({ id, role, url: `${NOWHERE}${id}.tif` }),
    coverage: [102, 2, 103, 3],
    ...rest,
  });
  return [
    down('mask', 'forest-mask', { options: { classes: [1] }, date: '2020' }),
    down('losses', 'loss-year', { options: { baseYear: 2000, lastYear: 2024 } }),
    down('biomass', 'biomass', { date: '2020' }),
    down('roads', 'roads', { kind: 'flatgeobuf', url: `${NOWHERE}roads.fgb` }),
    down('buildings', 'buildings', { kind: 'flatgeobuf', url: `${NOWHERE}buildings.fgb` }),
    down('shops', 'businesses', { kind: 'flatgeobuf', url: `${NOWHERE}shops.fgb` }),
  ];
}

/** Makes work of every kind, waits until it is done, and gives the views that show it. */
export async function prepareViews(service: RunningProcess): Promise<readonly View[]> {
  const task = await checked(service, PLACES);
  const plots = JSON.stringify({ type: 'FeatureCollection', features: samplePlots() });
  const sample = await processed(service, 'Sample collection', new File([plots], 'plots.geojson'));
  const odd = await processed(service, 'Odd rows', new File([ROWS], 'odd rows.csv'));
  const down = await processed(service, 'Nothing answered', new File([UNREACHED], 'unreached.csv'));
  const unreached = await checked(service, UNREACHED);
  await reviewed(service, sample, [3], 'accepted', 'Imagery 2021.');
  await processedAgain(service, sample);
  await processedAgain(service, sample);
  const [, , first] = await runsOf(service, sample);
  const across = await processed(service, 'Across stands', new File([ACROSS], 'across.geojson'));
  const crossed = await checked(service, FACILITIES, 'yards.geojson');
  const patches = await lookedUp(service, FOREST_PLACES);
  await reviewed(service, sample, [4], 'rejected', 'Cleared in 2023: supplier called, no delivery.');
  await reviewed(service, sample, [0, 1], 'reviewed', '');
  await reviewed(service, task, [0], 'accepted', 'Visited in March.');
  await reviewed(service, task, [1], 'rejected', 'Warehouse, no mill.');
  await watched(service, sample);
  const filing = await filed(service);
  await watched(service, filing);
  await deliveries(service);
  const row = (index: number) => `facilities?task=${task}&sel=${index}`;
  return [
    { name: 'home', path: '' },
    { name: 'facilities', path: 'facilities' },
    { name: 'facilities-review', path: 'facilities', act: (page) => chosen(page) },
    { name: 'facilities-results', path: `facilities?task=${task}` },
    { name: 'facilities-filtered', path: `facilities?task=${task}&level=low` },
    { name: 'facilities-grouped', path: `facilities?task=${task}&group=supplier` },
    { name: 'facilities-marked', path: `facilities?task=${task}`, act: markRows },
    { name: 'facilities-columns', path: `facilities?task=${task}`, act: openColumns },
    { name: 'facilities-none', path: `facilities?task=${task}&q=nobody` },
    { name: 'facility', path: row(0) },
    { name: 'facility-low', path: row(1) },
    { name: 'facility-unverified', path: row(4) },
    { name: 'facility-polar', path: row(5) },
    { name: 'facility-invalid', path: `facilities?task=${crossed}&sel=0` },
    { name: 'facility-area', path: `facilities?task=${crossed}&sel=1` },
    { name: 'facility-unread', path: row(7) },
    { name: 'facility-down', path: `facilities?task=${unreached}&sel=2` },
    { name: 'forest', path: 'forest' },
    { name: 'forest-patch', path: 'forest?at=4.6,102.61' },
    { name: 'forest-outlines', path: 'forest?at=4.6,102.61&raw=1&neighbours=1' },
    { name: 'forest-colours', path: 'forest?at=4.6,102.61&colours=1' },
    { name: 'forest-batch', path: `forest?task=${patches}` },
    { name: 'forest-unknown', path: 'forest?at=6.7,-1.6' },
    { name: 'forest-sea', path: 'forest?at=2,90' },
    { name: 'forest-parcel', path: 'forest?at=4.6177,102.6012&parcels=1' },
    { name: 'forest-down', path: 'forest?at=2.2,102.55' },
    { name: 'collections', path: 'collections' },
    { name: 'collections-review', path: 'collections', act: (page) => chosen(page) },
    { name: 'collection', path: `collections?id=${sample}`, act: unfold },
    { name: 'collection-plots', path: `collections?id=${sample}&tab=plots` },
    { name: 'collection-plots-grouped', path: `collections?id=${sample}&tab=plots&group=country` },
    { name: 'collection-plots-marked', path: `collections?id=${sample}&tab=plots`, act: markRows },
    { name: 'collection-plots-why', path: `collections?id=${odd}&tab=plots&why=precision:warn` },
    { name: 'collection-plots-loss', path: `collections?id=${sample}&tab=plots&colour=loss` },
    { name: 'collection-plots-loss-year', path: `collections?id=${sample}&tab=plots&colour=loss&year=2015` },
    { name: 'collection-compared', path: `collections?id=${sample}&before=${first ?? ''}`, act: unfold },
    { name: 'collection-plot', path: `collections?id=${sample}&tab=plots&sel=4` },
    { name: 'collection-plot-split', path: `collections?id=${across}&tab=plots&sel=0`, act: lookAtGround },
    { name: 'collection-odd', path: `collections?id=${odd}`, act: unfold },
    { name: 'collection-odd-plot', path: `collections?id=${odd}&tab=plots&sel=0` },
    { name: 'collection-odd-unread', path: `collections?id=${odd}&tab=plots&sel=3` },
    { name: 'collection-sheds', path: `collections?id=${odd}&tab=sheds` },
    { name: 'collection-down', path: `collections?id=${down}`, act: unfold },
    { name: 'collection-down-plot', path: `collections?id=${down}&tab=plots&sel=0` },
    { name: 'collection-filed', path: `collections?id=${filing}`, act: unfold },
    { name: 'webhooks', path: 'webhooks', act: firstDelivery },
    { name: 'webhooks-verify', path: 'webhooks?tab=verify' },
    { name: 'tokens', path: 'tokens' },
    { name: 'datasets', path: 'datasets' },
    { name: 'datasets-theme', path: 'datasets?role=roads' },
    { name: 'datasets-chosen', path: 'datasets?id=losses' },
    { name: 'missing-task', path: 'facilities?task=00000000-0000-4000-8000-000000000000' },
    { name: 'not-found', path: 'nowhere' },
  ];
}

/** Shows a view and waits until it stands still. */
export async function showView({ page, go, mapIdle }: ConsoleWindow, view: View): Promise<void> {
  await go('/console/nowhere');
  await go(`/console/${view.path}`);
  await settled(page, mapIdle);
  await view.act?.(page);
  await settled(page, mapIdle);
}

/** Signs in whatever the language. */
export async function signInAnyhow({ page, go }: ConsoleWindow, token: string): Promise<void> {
  await go('/console');
  await page.locator('input[type=password]').fill(token);
  await page.locator('form button[type=submit]').click();
  await page.locator('.who').waitFor();
}

async function settled(page: Page, mapIdle: () => Promise<void>): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await page.locator('main .spinner').first().waitFor({ state: 'detached' });
  if ((await page.locator('.map-canvas:visible').count()) > 0) await mapIdle();
}

async function chosen(page: Page): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(CHOSEN);
  await page.locator('.file-review-body[data-busy=false]').waitFor();
}

async function unfold(page: Page): Promise<void> {
  await page.evaluate(`for (const one of document.querySelectorAll('main details:not(.row-menu)')) one.open = true`);
}

async function firstDelivery(page: Page): Promise<void> {
  await page.locator('tbody button.link').first().click();
  await page.locator('#delivery-title').waitFor();
}

/** Chooses the first rows, and opens what can be decided of them. */
async function markRows(page: Page): Promise<void> {
  const boxes = page.locator('.vtable-body .mark-box input');
  for (const at of [0, 1, 2]) await boxes.nth(at).click();
  await page.locator('.marks-bar summary').click();
}

async function openColumns(page: Page): Promise<void> {
  await page.locator('.columns-menu summary').click();
  await page.locator('.columns-list li').first().waitFor();
}

/** Asks whether the chosen plot is one. */
async function lookAtGround(page: Page): Promise<void> {
  await page.locator('.split-offer + button').click();
  await page.locator('.plot-split').waitFor();
  await page.locator('.plot-split').scrollIntoViewIfNeeded();
}
