import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { SignatureDocument, SignedFile, Statement } from '../../src/signatures/signature-document.ts';
import { demoCollection } from '../../src/service/collections/demo-collection.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';
import { unzipped } from '../due-diligence-export.ts';
import { isWholeRun } from '../property-runs.ts';

const PLOTS_FEATURES = demoCollection().features;
const PLOTS = {
  name: 'synthetic-plots.geojson',
  mimeType: 'application/geo+json',
  buffer: collectionOf(PLOTS_FEATURES),
};
const RESULTS = { es: 'Resultados', fr: 'Résultats', pt: 'Resultados', id: 'Hasil' } as const;
/** A batch of two dozen plots on a busy machine. */
const BATCH_MS = 240_000;
/** More locations than this fail the batch that counts them, when its file was accepted already. */
const MAX_FEATURES = 15_000;

describe('the page of collections', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  /** Address of the collection, once it is there. */
  let address = '';
  withConsole((opened) => ({ service, browser, window } = opened), {
    // They are half of the browser's work; what stands on them is tried in `map` and `plots-map`.
    maps: isWholeRun,
    env: { MAX_FEATURES: String(MAX_FEATURES) },
  });

  const file = () => window.page.locator('input[type=file]');
  const figure = (name: string) => window.page.locator('.figure', { hasText: name }).locator('dd').first();
  const rows = () => window.page.locator('.vtable-body [role=row]');
  const save = async (click: () => Promise<void>): Promise<Buffer> => {
    const [download] = await Promise.all([window.page.waitForEvent('download', { timeout: BATCH_MS }), click()]);
    return readFile(await download.path());
  };

  it('says what to do while there is none', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await window.signIn(service.token);
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
    await page.getByText('Choose a file of plots above.').waitFor();
    assert.deepEqual(await window.axe(), []);
  });

  it('says what is wrong with a file that cannot be read, and keeps nothing of it', async () => {
    const { page } = window;
    await file().setInputFiles({ ...PLOTS, name: 'broken.geojson', buffer: Buffer.from('{"type":"FeatureColl') });
    await page.getByRole('alert').getByText('Nothing was kept.').waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('collections-refused');
    await page.reload();
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
  });

  it('shows how much of a large file has left, and stops sending on request', async () => {
    const { page } = window;
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await file().setInputFiles({ ...PLOTS, name: 'large.geojson', buffer: Buffer.alloc(20_000_000, ' ') });
    await page.getByRole('progressbar').waitFor();
    await page.getByText(/^[\d.,]+ of 21$/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Stopped: nothing was kept of it.').waitFor();
    assert.deepEqual(await window.axe(), []);
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await network.detach();
    await page.reload();
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
  });

  it('looks at a file first: columns, counts and problems, and nothing is stored', async () => {
    const { page } = window;
    const table = 'Farmer,Lat,Long,Land,Hectares\nSiti,4.590001,102.600001,MY,1.5\n,4.600001,102.610001,MY,2\n';
    await chooseFile(page, { name: 'growers.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
    const found = page.getByRole('region', { name: 'What was understood' });
    assert.equal(await found.getByLabel('Meaning of Farmer').inputValue(), 'supplier_name');
    assert.equal(await found.getByLabel('Meaning of Lat').inputValue(), 'latitude');
    await found.getByText('2 rows', { exact: true }).waitFor();
    await found.getByText('1 kind of remarks on the rows').click();
    assert.match(await found.getByRole('listitem').first().innerText(), /\(1\): .*producer/i);
    assert.deepEqual(await window.axe(), []);
    await window.shot('collections-checked');
    await page.reload();
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
  });

  it('keeps a file, then processes it with progress to the end', async () => {
    const { page } = window;
    await chooseFile(page, PLOTS);
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'synthetic-plots');
    await page.getByLabel('Description').fill('Made up for a test');
    assert.deepEqual(await window.axe(), []);
    await window.shot('collections-new');
    await page.getByRole('button', { name: 'Only keep the file' }).click();
    await page.getByText('The file is kept and not processed yet.').waitFor();
    assert.match(page.url(), /\/console\/collections\?id=[\w-]{36}$/);
    assert.deepEqual(await window.axe(), []);
    await page.getByLabel('To', { exact: true }).fill('2024-12-31');
    await page.getByLabel('Send the due diligence report by email').check();
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.locator('progress').waitFor();
    // The token of the tests is nobody's, so no address is known.
    const warning = page.locator('.notice', { hasText: 'The report will not be sent by email' });
    await warning.getByText('No email address of yours is known').waitFor();
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: BATCH_MS });
    address = new URL(page.url()).pathname + new URL(page.url()).search;
  });

  it('shows totals that count what is unknown and never call it 0, and losses by year', async () => {
    const { page } = window;
    assert.equal(await figure('Locations').innerText(), '23');
    assert.match(await figure('Confidence').innerText(), /low|medium|high/);
    assert.match(await figure('Of it lost since').innerText(), /^[\d.]+ ha$/);
    assert.match(await page.locator('.figure', { hasText: 'Of it lost since' }).innerText(), /3 of 22 plots unknown/);
    await page.getByText('Synthetic data').first().waitFor();
    const chart = page.locator('.loss-chart').getByRole('img');
    assert.match(await chart.locator('title').first().innerHTML(), /2021: [\d.]+ ha in forest of 2020-12-31/);
    await page.getByText('cut-off 2020-12-31').waitFor();
    await page.getByText('As a table').click();
    const cells = await page.locator('.loss-chart tbody tr', { hasText: '2023' }).locator('td').allInnerTexts();
    assert.equal(cells.length, 3);
    assert.ok(Number(cells[0]) > 0 && Number(cells[0]) <= Number(cells[2]), cells.join());
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection');
  });

  it('says next to the area what overlaps, and when plots were not compared', async () => {
    const { page } = window;
    const area = page.locator('.figure', { hasText: 'Area' });
    assert.doesNotMatch(await area.innerText(), /counted once|compared/);
    const totals = /fetch_deforestation_check\?.*aggregate=true/;
    await page.route(totals, async (route) => {
      const response = await route.fetch();
      const { properties, ...feature } = (await response.json()) as { properties: object };
      const overlapping = { ...properties, overlap_area_ha: 1.25, overlaps_counted_once: false };
      await route.fulfill({ response, json: { ...feature, properties: overlapping } });
    });
    await page.reload();
    await area.getByText('1.25 ha in more than one plot, counted once').waitFor();
    await area.getByText('plots not compared: overlaps may count twice').waitFor();
    assert.deepEqual(await window.axe(), []);
    await page.unroute(totals);
    await page.reload();
    await area.waitFor();
  });

  it('queries again for another period, which stands in the address', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Since the cut-off' }).click();
    assert.match(page.url(), /from=2020-12-31/);
    await page.locator('.loss-chart').waitFor();
    await page.getByRole('group', { name: 'Monitoring period' }).getByLabel('To').fill('2022-12-31');
    await page.getByRole('group', { name: 'Monitoring period' }).getByLabel('To').blur();
    await page.waitForURL(/to=2022-12-31/);
    await page.getByRole('img', { name: /2021: .*2022: [^:]*$/ }).waitFor();
    await page.getByRole('button', { name: 'As processed' }).click();
    await page.getByRole('img', { name: /2018: .*2023: / }).waitFor();
  });

  it('hatches years that no dataset covers, which are not 0', async () => {
    const { page } = window;
    const to = page.getByRole('group', { name: 'Monitoring period' }).getByLabel('To');
    // What was shown before has years without data too.
    const loaded = page.waitForResponse(/monitoring_end=2026-06-30/);
    await to.fill('2026-06-30');
    await to.blur();
    await page.waitForURL(/to=2026-06-30/);
    await loaded;
    const chart = page.locator('.loss-chart');
    await chart.getByRole('img', { name: /2023: .*2025: no data\. 2026: no data\.$/ }).waitFor();
    assert.equal(await chart.locator('.chart-no-data').count(), 2);
    await chart.getByText('No data for 2025–2026: no dataset of losses covers these years.').waitFor();
    await page.getByText('As a table').click();
    const cells = (year: string) => chart.locator('tbody tr', { hasText: year }).locator('td').allInnerTexts();
    assert.deepEqual([await cells('2025'), await cells('2026')], [['no data'], ['no data']]);
    assert.equal((await cells('2024')).length, 3);
    assert.deepEqual(await window.axe(), []);
    await chart.scrollIntoViewIfNeeded();
    await window.shot('collection-no-data');
    await page.getByRole('button', { name: 'As processed' }).click();
    await page.waitForURL((url) => !url.searchParams.has('to'));
  });

  it('says what becomes of the report by email', async () => {
    const email = window.page.getByRole('region', { name: 'Report by email' });
    assert.match(await email.innerText(), /not sent\s+No email address of yours was known, or/);
  });

  it('gives the due diligence archive and every view as files', async () => {
    const { page } = window;
    const zip = await save(() => page.getByRole('button', { name: 'Export', exact: true }).click());
    assert.equal(zip.subarray(0, 2).toString(), 'PK');
    await page.getByText(/The archive is complete/).waitFor();
    const signed = await save(() => page.getByRole('button', { name: 'Download its signature' }).click());
    const { statement } = JSON.parse(signed.toString()) as SignatureDocument;
    const [{ sha256 }] = (JSON.parse(statement) as Statement).files as readonly [SignedFile];
    assert.equal(sha256, createHash('sha256').update(zip).digest('hex'));
    assert.equal(await page.getByRole('link', { name: 'Check a signature' }).getAttribute('href'), '/verify');
    await page.getByText('What you file').click();
    await page.getByLabel('Customs codes').fill('4101');
    await page.getByLabel('Placed or exported on').fill('2026-12-30');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText(/4101 is not listed in Annex I on 2026-12-30/).waitFor();
    await page.getByLabel('Customs codes').fill('1511');
    await page.getByLabel('Draft').selectOption('Simplified declaration');
    await page
      .locator('details', { hasText: 'What you file' })
      .getByLabel('Role')
      .selectOption('Micro or small primary operator');
    const declared = await save(() => page.getByRole('button', { name: 'Export', exact: true }).click());
    const names = Object.keys(unzipped(declared));
    assert.deepEqual([names.includes('sd.json'), names.includes('dds.json')], [true, false]);
    const csv = await save(() => page.getByRole('button', { name: 'Deforestation check as CSV' }).click());
    assert.equal(csv.toString().trim().split('\n').length, 24);
    const sheds = await save(() => page.getByRole('button', { name: 'Supply sheds as GeoJSON' }).click());
    assert.equal((JSON.parse(sheds.toString()) as { features: unknown[] }).features.length, 1);
    await page.getByText('5 addresses to fetch from').click();
    await page.getByText('/fetch_biodiversity?filename=').waitFor();
  });

  it('watches the collection, and shows what the first run found otherwise: nothing', async () => {
    const { page } = window;
    const card = page.getByRole('region', { name: 'Watch' });
    await card.getByRole('button', { name: 'Watch this collection' }).click();
    await card.getByText('nothing changed').waitFor();
    await card.getByText('0 changed (0 worse, 0 better), 22 unchanged, 0 could no longer be measured').waitFor();
    await card.scrollIntoViewIfNeeded();
    assert.deepEqual([await window.axe(), await window.overflows()], [[], false]);
    await window.shot('watch');
    await card.getByRole('button', { name: 'Stop watching' }).click();
    await card.getByRole('button', { name: 'Watch this collection' }).waitFor();
    await card.getByText('Run 1').waitFor();
    await page.reload();
  });

  it('shows the plots in a table and on a map, by result', async () => {
    const { page } = window;
    await page.getByRole('link', { name: /Signs of deforestation/ }).click();
    await page.waitForURL(/tab=plots.*res=deforested/);
    await page.getByText(/^\d+ of 23 locations$/).waitFor();
    assert.ok((await rows().count()) >= 5);
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection-plots');
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText('23 locations', { exact: true }).waitFor();
  });

  it('sorts by what was lost, with what is unknown last, whichever way', async () => {
    const { page } = window;
    for (const direction of ['lost', 'lost:desc']) {
      await page.getByRole('button', { name: /^Lost/ }).click();
      await page.waitForURL((url) => url.searchParams.get('sort') === direction);
      await page.keyboard.press('Tab');
      await page.locator('.vtable').focus();
      await page.keyboard.press('End');
      await rows()
        .last()
        .filter({ hasText: /unknown|–/ })
        .waitFor();
    }
    await page.getByRole('button', { name: '#' }).click();
  });

  it('shows everything of a plot: result, losses, biomass, receipts', async () => {
    const { page } = window;
    await page.locator('.vtable').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    const detail = page.locator('.detail');
    await detail.getByRole('heading', { name: 'Biomass by year' }).waitFor();
    assert.match(page.url(), /[?&]sel=0/);
    const receipt = detail.locator('section', { hasText: 'Receipt' }).locator('.evidence > li').first();
    assert.match(
      await receipt.innerText(),
      /sample-district-forest\s*sample-rasters-2\s*synthetic\s*covers 100.0 % of/,
    );
    assert.match(await detail.locator('.figure', { hasText: 'Biomass' }).innerText(), /[\d.,]+ t/);
    const together = await detail.locator('section', { hasText: 'All layers together' }).innerText({ timeout: 10_000 });
    assert.match(together, /low\s*perennial · perennial-1/);
    assert.match(together, /forest 2020\s*no[\s\S]*no: sample-district-forest[\s\S]*ha \(0\.0 %\)/);
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection-plot');
  });

  it('says why a location could not be measured', async () => {
    const { page } = window;
    await page.getByLabel('Name, id, country').fill('without a place');
    await rows().first().click();
    await page.locator('.detail').getByText('This location could not be measured').waitFor();
    assert.match(await page.locator('.detail').innerText(), /the address was found no closer than its country/);
  });

  it('keeps the view over a reload, by the address alone', async () => {
    const { page } = window;
    const before = await page.locator('.detail h2').innerText();
    await page.reload();
    await page.locator('.detail').waitFor();
    assert.equal(await page.locator('.detail h2').innerText(), before);
    assert.equal(await page.getByLabel('Name, id, country').inputValue(), 'without a place');
  });

  it('shows what the supply shed of a facility holds', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Supply sheds' }).click();
    await page.getByRole('heading', { name: /Kilang Sawit Contoh/ }).waitFor();
    const all = Number(await figure('Plots').innerText());
    await window.shot('collection-sheds');
    await page.getByLabel('Radius').selectOption('2000');
    await page.waitForURL(/r=2000/);
    await page.getByRole('heading', { name: /Kilang Sawit Contoh/ }).waitFor();
    await figure('Plots')
      .filter({ hasNotText: String(all) })
      .waitFor();
    assert.ok(Number(await figure('Plots').innerText()) < all);
    assert.deepEqual(await window.axe(), []);
  });

  it('works in the dark, on a narrow screen and in other languages', async () => {
    await using dark = await browser.open({ theme: 'dark' });
    await using narrow = await browser.open({ width: 360, height: 740 });
    for (const other of [dark, narrow]) {
      await other.go(address);
      await other.signIn(service.token);
      await other.page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
      assert.deepEqual(await other.axe(), []);
      assert.equal(await other.overflows(), false);
      await other.shot('collection');
      await other.page.getByRole('link', { name: /Signs of deforestation/ }).click();
      await rows0(other).waitFor();
      await rows0(other).click();
      await other.page.locator('.detail').getByRole('heading', { name: 'Biomass by year' }).waitFor();
      await other.mapIdle();
      assert.deepEqual(await other.axe(), []);
      assert.equal(await other.overflows(), false);
      await other.shot('collection-plot');
      assert.deepEqual(other.faults, []);
    }
    // `language` has every view of every language in a whole run.
    const languages = Object.entries(RESULTS).slice(isWholeRun ? 0 : -1);
    for (const [code, heading] of languages) {
      await narrow.page.locator('.top-end select').first().selectOption(code);
      await narrow.page.locator(`html[lang=${code}]`).waitFor();
      await narrow.go(address);
      await narrow.page.getByRole('heading', { name: heading, exact: true }).waitFor();
      assert.deepEqual([code, await narrow.overflows()], [code, false]);
    }
    await narrow.shot('collection-indonesian');
  });

  it('lists collections, and deletes one after a confirmation', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'All collections' }).click();
    await page.getByRole('link', { name: 'synthetic-plots' }).waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('collections');
    await page.getByLabel('More for synthetic-plots').click();
    await page.getByRole('button', { name: 'Delete synthetic-plots' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
  });

  it('refuses a file without locations at once, and keeps nothing of it', async () => {
    const { page } = window;
    await file().setInputFiles({ ...PLOTS, name: 'empty.geojson', buffer: collectionOf([]) });
    const alert = page.getByRole('alert').filter({ hasText: 'Nothing was kept.' });
    await alert.waitFor();
    assert.match(await alert.innerText(), /It holds no rows\./);
    assert.deepEqual(await window.axe(), []);
    await window.shot('collections-empty');
    await page.reload();
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
  });

  it('shows a warning, nothing green, where no plot could be measured', async () => {
    const { page } = window;
    const ring = [
      [20, -30],
      [20.001, -30],
      [20.001, -29.999],
      [20, -29.999],
      [20, -30],
    ];
    const geometry = { type: 'Polygon', coordinates: [ring] };
    const far = { type: 'Feature', geometry, properties: { location_type: 'plot' } };
    await chooseFile(page, { ...PLOTS, name: 'far-away.geojson', buffer: collectionOf([far]) });
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByText('No plot could be measured').waitFor({ timeout: BATCH_MS });
    const badge = page.locator('.status', { hasText: 'completed, nothing measured' });
    assert.equal(await badge.getAttribute('data-status'), 'unknown');
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection-unmeasured');
    await page.getByRole('button', { name: 'All collections' }).click();
    assert.equal(await badge.getAttribute('data-status'), 'unknown');
    await page.getByLabel('More for far-away').click();
    await page.getByRole('button', { name: 'Delete far-away' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
  });

  it('says why processing failed, and keeps the file', async () => {
    const { page } = window;
    const lines = Array.from({ length: MAX_FEATURES + 1 }, (_, i) => `${i},Plot ${i},4.59,102.6,1`);
    const buffer = Buffer.from(`id,name,lat,lon,area_ha\n${lines.join('\n')}\n`);
    await file().setInputFiles({ name: 'large.csv', mimeType: 'text/csv', buffer });
    const alert = page.getByRole('alert');
    await alert.getByText('at most 15000, got more').waitFor();
    // The page refuses it; other programs may not have looked.
    const form = new FormData();
    form.set('collection_name', 'large');
    form.set('file', new Blob([Uint8Array.from(buffer)]), 'large.csv');
    const begun = await service.fetch('/batch_process', { method: 'POST', body: form });
    const { collection_id: id } = (await begun.json()) as { readonly collection_id: string };
    await window.go(`/console/collections?id=${id}`);
    await alert.getByText('Processing failed.').waitFor({ timeout: BATCH_MS });
    assert.match(await alert.innerText(), /at most 15000, got more.*The file is still here/s);
    await page.getByRole('heading', { name: 'Process again' }).waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection-failed');
  });

  it('shows phase and pace of a batch, stops it on request, and processes it again', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'All collections' }).click();
    await chooseFile(page, { ...PLOTS, name: 'many.geojson', buffer: collectionOf(many(600)) });
    await page.getByLabel('Validate locations').uncheck();
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    // Plots are measured while the file is read: little of that may be left for a phase of its own.
    const working = page.getByRole('region', { name: 'Progress' });
    await working.getByText(/^(Reading|Measuring plots)/).waitFor({ timeout: BATCH_MS });
    await working.getByText(/ a second$/).waitFor({ timeout: BATCH_MS });
    await window.shot('collection-progress');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Processing was cancelled.').waitFor({ timeout: BATCH_MS });
    await page.getByLabel('Measure every plot').uncheck();
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByText('Nothing was measured.').waitFor({ timeout: BATCH_MS });
    assert.equal(await figure('Locations').innerText(), '13,800');
  });

  it('follows the export of many plots until it is there', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'All collections' }).click();
    await chooseFile(page, { ...PLOTS, name: 'more.geojson', buffer: collectionOf(many(27)) });
    await page.getByLabel('Validate locations').uncheck();
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: BATCH_MS });
    const [answer, zip] = await Promise.all([
      page.waitForResponse(/export_eudr_dds/),
      save(() => page.getByRole('button', { name: 'Export', exact: true }).click()),
    ]);
    assert.equal(answer.status(), 202);
    assert.equal(zip.subarray(0, 2).toString(), 'PK');
  });

  it('sent no request elsewhere, and broke no rule of its policy', () => {
    assert.deepEqual(window.faults, []);
  });
});

function collectionOf(features: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify({ type: 'FeatureCollection', features }));
}

/** The made-up plots so many times. */
function many(times: number): readonly object[] {
  return Array.from({ length: times }, (_, i) =>
    PLOTS_FEATURES.map((feature) => ({ ...feature, id: `${String(feature.id)}-${i}` })),
  ).flat();
}

const rows0 = ({ page }: ConsoleWindow) => page.locator('.vtable-body [role=row]').first();
