import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rasterDataset } from '../made-up-rasters.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, openBrowser, type ConsoleWindow } from './browser.ts';

/** Nobody listens there: every request is refused at once. */
const NOWHERE = 'http://127.0.0.1:9/';
const AROUND = [102, 3.5, 103.5, 5] as const;
const CSV = `id,name,supplier,country,commodity,latitude,longitude,area_ha,location_type
A1,Kampung Satu,Siti,MY,palm,4.2,102.5,2,plot
A2,Kampung Dua,Siti,MY,palm,4.2,102.6,2,plot
A3,Mill,Siti,MY,palm,4.2,102.55,,facility
`;

/** What would be a statement about the world though nobody could look at it. */
const CLAIMS =
  /\bno (roads?|buildings?|forest|loss|deforestation|plots? (nearby|in)|businesses|points of interest)\b|\b0(\.0+)? (ha|t)\b|\bNo deforestation found\b|\bNo forest patch here\b|\bnone found\b/i;

describe('a service whose sources are all unreachable', { skip: browserSkip() }, () => {
  const stack = new AsyncDisposableStack();
  let service: RunningProcess;
  let window: ConsoleWindow;
  let id = '';

  const json = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await service.fetch(path, init);
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  const claimsIn = async (): Promise<readonly string[]> => {
    const text = await window.page.locator('main').innerText();
    return text.split('\n').filter((line) => CLAIMS.test(line));
  };

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-sources-down-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const down = (id: string, role: Parameters<typeof rasterDataset>[0]['role'], rest: object = {}) => ({
      ...rasterDataset({ id, role, url: `${NOWHERE}${id}.tif` }),
      coverage: AROUND,
      ...rest,
    });
    const datasets = [
      down('mask', 'forest-mask', { options: { classes: [1] }, date: '2020' }),
      down('losses', 'loss-year', { options: { baseYear: 2000, lastYear: 2024 } }),
      down('biomass', 'biomass', { date: '2020' }),
      down('canopy', 'canopy-height', { date: '2020' }),
      down('plantations', 'plantation-mask', { options: { classes: [1] } }),
      down('roads', 'roads', { kind: 'flatgeobuf', url: `${NOWHERE}roads.fgb` }),
      down('buildings', 'buildings', { kind: 'flatgeobuf', url: `${NOWHERE}buildings.fgb` }),
      down('shops', 'businesses', { kind: 'flatgeobuf', url: `${NOWHERE}shops.fgb` }),
    ];
    const catalogue = join(folder, 'catalogue.json');
    await writeFile(catalogue, JSON.stringify({ datasets }));
    service = stack.use(await runService({ env: { CATALOGUE: catalogue, SAMPLE_DISTRICT: 'off', MODELS: 'manual' } }));
    const body = new FormData();
    for (const [name, value] of Object.entries({
      collection_name: 'Lot 7',
      monitoring_end: '2024-12-31',
      validate_locations: 'true',
    }))
      body.append(name, value);
    body.append('file', new Blob([CSV]), 'lot.csv');
    const work = await json<{ collection_id: string; task_id: string }>('/batch_process', { method: 'POST', body });
    id = work.collection_id;
    for (;;) {
      const { status } = await json<{ status: string }>(`/tasks/${work.task_id}`);
      if (status === 'completed') break;
      assert.equal(status, 'processing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    window = stack.use(await stack.use(await openBrowser(service.url)).open());
  });
  after(() => stack.disposeAsync());

  it('claims nothing about a collection, and is no success', async () => {
    const { page } = window;
    await window.go(`/console/collections?id=${id}`);
    await window.signIn(service.token);
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
    assert.deepEqual(await claimsIn(), []);
    // They do cover it.
    await page.getByText('no dataset of losses covers it, or none could be read').waitFor();
    const badge = page.locator('.status', { hasText: 'completed, nothing measured' });
    assert.equal(await badge.getAttribute('data-status'), 'unknown');
    await window.shot('down-collection');
    for (const name of ['Plots', 'Supply sheds']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.waitForLoadState('networkidle');
      assert.deepEqual(await claimsIn(), [], name);
      await window.shot(`down-${name}`);
    }
    await window.go(`/console/collections?id=${id}&tab=plots&sel=0`);
    await page.locator('.detail .figure').first().waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(await claimsIn(), []);
    await window.shot('down-plot');
    await window.go('/console/collections');
    await page.getByRole('link', { name: 'Lot 7' }).waitFor();
    assert.equal(await badge.getAttribute('data-status'), 'unknown');
    assert.deepEqual(await claimsIn(), []);
  });

  it('claims nothing about a facility', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await page.getByLabel('Or paste coordinates').fill('4.2, 102.55, Mill');
    await page
      .getByRole('button', { name: /^Check/ })
      .last()
      .click();
    await page.locator('.vtable-body [role=row]').first().click();
    await page.locator('.detail .evidence').first().waitFor();
    await page.locator('.detail').getByText('Sources could not be read when this was checked: ').waitFor();
    assert.deepEqual(await claimsIn(), []);
    await window.shot('down-facility');
  });

  it('claims nothing about a forest patch', async () => {
    const { page } = window;
    await window.go('/console/forest?at=4.2,102.55&map=14/4.2/102.55');
    await page.waitForLoadState('networkidle');
    await window.mapIdle();
    assert.deepEqual(await claimsIn(), []);
    await page.getByText('Unknown whether there is a forest patch here').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Download GeoJSON' }).count(), 0);
    await window.shot('down-forest');
  });

  it('says of datasets that they could not be read', async () => {
    const { page } = window;
    await window.go('/console/datasets');
    await page.getByText('losses').first().waitFor();
    assert.deepEqual(await claimsIn(), []);
    await window.shot('down-datasets');
  });

  it('and when requests fail too, no list is called empty', async () => {
    const { page } = window;
    const API = /\/(get_collections|collections|tasks|webhooks|tokens|datasets|traces|watches|reviews|fetch_)/;
    await page.route(
      (url) => API.test(url.pathname) && !url.pathname.startsWith('/console'),
      (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          body: '{"code":"unavailable","status":503,"title":"Unavailable","detail":"The database is away."}',
        }),
    );
    for (const path of ['', 'collections', 'webhooks', 'tokens', 'datasets', 'facilities']) {
      await window.go(`/console/${path}`);
      await page.getByRole('alert').first().waitFor();
      const text = await page.locator('main').innerText();
      const empty = text.split('\n').filter((line) => /^(No|Nothing|There (is|are) no)\b/.test(line.trim()));
      assert.deepEqual(empty, [], path);
      await window.shot(`down-requests-${path === '' ? 'home' : path}`);
    }
  });
});
