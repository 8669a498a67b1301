import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import { madeUpPlots } from '../end-to-end/made-up-plots.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { rasterDataset } from '../made-up-rasters.ts';
import { FAKE_CREDENTIALS, startFakeTraces } from '../traces/fake-traces.ts';
import type { ConsoleWindow } from './browser.ts';

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
/** Nobody listens there: every request is refused at once. */
const NOWHERE = 'http://127.0.0.1:9/';
const FILED = {
  operatorRole: 'OPERATOR',
  activityType: 'DOMESTIC',
  countryOfActivity: 'DE',
  geoLocationConfidential: false,
  commodities: [
    { hsHeading: '1511', descriptionOfGoods: 'Palm oil', netWeight: 1000, percentageEstimationOrDeviation: 5 },
  ],
};
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
  await reviewed(service, sample, [4], 'rejected', 'Cleared in 2023: supplier called, no delivery.');
  await reviewed(service, sample, [0, 1], 'reviewed', '');
  await reviewed(service, task, [0], 'accepted', 'Visited in March.');
  await reviewed(service, task, [1], 'rejected', 'Warehouse, no mill.');
  await watched(service, sample);
  const filing = await filed(service);
  await deliveries(service);
  const row = (index: number) => `facilities?task=${task}&sel=${index}`;
  return [
    { name: 'home', path: '' },
    { name: 'facilities', path: 'facilities' },
    { name: 'facilities-review', path: 'facilities', act: (page) => chosen(page) },
    { name: 'facilities-results', path: `facilities?task=${task}` },
    { name: 'facilities-filtered', path: `facilities?task=${task}&level=low` },
    { name: 'facility', path: row(0) },
    { name: 'facility-unverified', path: row(4) },
    { name: 'facility-invalid', path: row(5) },
    { name: 'facility-unread', path: row(7) },
    { name: 'facility-down', path: `facilities?task=${unreached}&sel=2` },
    { name: 'forest', path: 'forest' },
    { name: 'forest-patch', path: 'forest?at=4.6,102.61' },
    { name: 'forest-unknown', path: 'forest?at=6.7,-1.6' },
    { name: 'forest-sea', path: 'forest?at=2,90' },
    { name: 'forest-parcel', path: 'forest?at=4.6177,102.6012&parcels=1' },
    { name: 'forest-down', path: 'forest?at=2.2,102.55' },
    { name: 'collections', path: 'collections' },
    { name: 'collections-review', path: 'collections', act: (page) => chosen(page) },
    { name: 'collection', path: `collections?id=${sample}`, act: unfold },
    { name: 'collection-plots', path: `collections?id=${sample}&tab=plots` },
    { name: 'collection-plot', path: `collections?id=${sample}&tab=plots&sel=4` },
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

async function json<T>(service: RunningProcess, path: string, init: RequestInit = {}): Promise<T> {
  const answer = await service.fetch(path, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

async function ended(service: RunningProcess, id: string): Promise<void> {
  for (;;) {
    const { status } = await json<{ status: string }>(service, `/tasks/${id}`);
    if (status === 'completed') return;
    if (status !== 'processing') throw new Error(`task ${id} is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function checked(service: RunningProcess, rows: string): Promise<string> {
  const body = new FormData();
  body.append('check_water_access', 'true');
  body.append('check_port_proximity', 'true');
  body.append('file', new File([rows], 'suppliers.csv', { type: 'text/csv' }));
  const { task_id: id } = await json<{ task_id: string }>(service, '/validate_locations?async_mode=true', {
    method: 'POST',
    body,
  });
  await ended(service, id);
  return id;
}

async function processed(
  service: RunningProcess,
  name: string,
  file: File,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new FormData();
  const fields = { collection_name: name, stats: 'true', validate_locations: 'true', ...more };
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  body.append('file', file);
  const work = await json<{ collection_id: string; task_id: string }>(service, '/batch_process', {
    method: 'POST',
    body,
  });
  await ended(service, work.task_id);
  return work.collection_id;
}

/** Once more, so that there is something to compare. */
async function processedAgain(service: RunningProcess, id: string): Promise<void> {
  const body = new FormData();
  body.append('filename', id);
  body.append('stats', 'true');
  body.append('validate_locations', 'true');
  const { task_id: task } = await json<{ task_id: string }>(service, '/batch_process', { method: 'POST', body });
  await ended(service, task);
}

async function reviewed(
  service: RunningProcess,
  id: string,
  rows: readonly number[],
  state: string,
  note: string,
): Promise<void> {
  await json(service, `/reviews/${id}`, posted({ rows, state, note }));
}

/** Has a collection watched, and waits for the first run. */
async function watched(service: RunningProcess, id: string): Promise<void> {
  await json(service, `/collections/${id}/watch`, posted({}));
  for (;;) {
    const { runs } = await json<{ runs: readonly { state: string }[] }>(service, `/collections/${id}/watch`);
    if (runs.length > 0 && runs.every(({ state }) => state !== 'measuring')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A collection with a statement that was filed and is available. */
async function filed(service: RunningProcess): Promise<string> {
  await json(service, '/traces/credentials/test', {
    ...posted({
      username: FAKE_CREDENTIALS.username,
      authentication_key: FAKE_CREDENTIALS.authenticationKey,
      client_id: FAKE_CREDENTIALS.clientId,
    }),
    method: 'PUT',
  });
  const id = await processed(service, 'Filed lot', new File([await madeUpPlots(3).arrayBuffer()], 'lot-7.geojson'));
  const { id: submission } = await json<{ id: string }>(
    service,
    '/traces/submissions',
    posted({ collection_id: id, answers: FILED }),
  );
  for (;;) {
    const { state } = await json<{ state: string }>(service, `/traces/submissions/${submission}`);
    if (state === 'available') return id;
    if (state === 'failed') throw new Error('the statement could not be filed');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function posted(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** A delivery that failed for the moment, and one that arrived. */
async function deliveries(service: RunningProcess): Promise<void> {
  let status = 500;
  const receiver: Server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end('the receiver says so'));
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await json(service, '/webhooks/register', posted({ url }));
    await service.fetch('/webhooks/test', { method: 'POST' });
    status = 200;
    await service.fetch('/webhooks/test', { method: 'POST' });
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}
