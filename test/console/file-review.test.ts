import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { workbookOf } from '../make-archive.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

const csv = (name: string, ...lines: readonly string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\n')),
});
const PLACES = ['Kilang Sawit;4.5821;102.6124', 'Gudang;4.599;102.5853', 'Station;4.6102;102.6053'] as const;
const ODD = csv('suppliers.csv', 'Kod;Titik A;Titik B', ...PLACES);

describe('a file that was chosen', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, browser, window } = opened), { env: { MAX_UPLOAD_MB: '1' } });

  const choose = (file: Parameters<Locator['setInputFiles']>[0]) =>
    window.page.locator('input[type=file]').setInputFiles(file);
  const review = () => window.page.getByRole('region', { name: 'What was understood' });
  const menu = (column: string) => review().getByLabel(`Meaning of ${column}`, { exact: true });
  const rows = () => window.page.locator('.vtable-body [role=row]');
  /** Waits until the service has looked at it as it is to be read now. */
  const settled = () => review().locator('.file-review-body[data-busy=false]').waitFor();
  const check = (count: string) => review().getByRole('button', { name: `Check ${count}`, exact: true });

  it('shows what was understood before anything runs, and a menu corrects what was not', async () => {
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await choose(ODD);
    await settled();
    assert.match(await review().innerText(), /suppliers\.csv · 1 kB of at most 1 MB/);
    assert.match(await review().innerText(), /CSV with 3 rows: 0 with a place · 3 without a place/);
    assert.equal(await menu('Titik A').inputValue(), '');
    await menu('Titik A').selectOption({ label: 'Latitude' });
    await menu('Titik B').selectOption({ label: 'Longitude' });
    await menu('Kod').selectOption({ label: 'Name' });
    await review().getByText('3 with a place').waitFor();
    await settled();
    const first = review().getByRole('row').filter({ hasText: 'Kilang Sawit' });
    assert.match(
      await first.innerText(),
      /^2\s+Kilang Sawit\s+4\.5821\s+102\.6124\s+Facility · 4\.58210, 102\.61240 · Malaysia$/,
    );
    assert.deepEqual(await window.axe(), []);
    assert.equal(await window.overflows(), false);
    await window.shot('file-review');
  });

  it('requires the commodity, and says which data there is for the region', async () => {
    const { page } = window;
    await review().getByText('Choose the commodity first.').waitFor();
    assert.equal(await check('3 rows').isDisabled(), true);
    const about = (theme: string) => review().getByRole('row', { name: new RegExp(`^${theme} `) });
    assert.match(await about('Roads').innerText(), /3 \/ 3\s+–\s+–\s+sample-district-roads \(synthetic\)/);
    await review().getByLabel('Commodity', { exact: true }).selectOption('palm');
    await about('Commodity').waitFor();
    assert.match(await about('Commodity').innerText(), /3 \/ 3\s+–\s+–\s+sample-district-palm \(synthetic\)/);
    await settled();
    await check('3 rows').click();
    await rows().nth(2).waitFor();
    assert.match(await rows().first().innerText(), /high\s+0\.75\s+Kilang Sawit\s+–\s+Malaysia\s+Palm/);
    assert.match(page.url(), /task=/);
  });

  it('is read as an earlier one with these headings was corrected, until that is forgotten', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New check' }).click();
    await choose(csv('next.csv', 'Titik B;Kod;Titik A', '102.6124;Depot;4.5821'));
    await review().getByText('The columns are read as you corrected them').waitFor();
    await settled();
    assert.equal(await menu('Titik A').inputValue(), 'latitude');
    assert.equal(await menu('Kod').inputValue(), 'name');
    await review().getByText('1 with a place').waitFor();
    await window.shot('file-review-remembered');
    await choose(csv('other.csv', 'Titik B;Titik A', '102.6124;4.5821'));
    await settled();
    assert.equal(await menu('Titik A').inputValue(), '');
    await choose(csv('again.csv', 'Kod;Titik A;Titik B', PLACES[0]));
    await review().getByRole('button', { name: 'Forget that' }).click();
    await review().getByText('1 without a place').waitFor();
    await choose(csv('last.csv', 'Kod;Titik A;Titik B', PLACES[0]));
    await settled();
    assert.equal(await menu('Titik A').inputValue(), '');
    assert.equal(await review().getByRole('button', { name: 'Forget that' }).count(), 0);
  });

  it('of several sheets is read from the one that is chosen, with the commodity that its name proposes', async () => {
    const buffer = Buffer.from(
      workbookOf({
        Offices: [
          ['Name', 'Latitude', 'Longitude'],
          ['Main office', 4.58, 102.61],
        ],
        'Palm mills': [
          ['Mill', 'Latitude', 'Longitude'],
          ['Kilang', 4.5821, 102.6124],
          ['Gudang', 4.599, 102.5853],
        ],
      }),
    );
    const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    await choose({ name: 'book.xlsx', mimeType, buffer });
    await settled();
    await review().getByText('First rows of Offices').waitFor();
    await review().getByText('Proposed: the name of the sheet says “Palm”.').waitFor();
    await review().getByLabel('Sheet', { exact: true }).selectOption('Palm mills');
    await check('2 rows').waitFor();
    await settled();
    assert.equal(await review().getByText('First rows of Offices').count(), 0);
    await window.shot('file-review-sheets');
    assert.deepEqual(await window.axe(), []);
    await check('2 rows').click();
    await rows().nth(1).waitFor();
    assert.equal(await rows().count(), 2);
  });

  it('keeps the rows that cannot be read in sight, and checks only the corrected ones again', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New check' }).click();
    const lines = ['Mill one,4.5821,102.6124', 'Mill two,north,102.5853', 'Mill three,4.6102,east', 'Mill five,,102.6'];
    await choose(csv('palm mills.csv', 'name,latitude,longitude', ...lines));
    await review().getByRole('heading', { name: 'Rows whose place cannot be read' }).waitFor();
    await page.getByLabel('Find addresses without coordinates').uncheck();
    await review().getByText('3 without a place').waitFor();
    await settled();
    await window.shot('file-review-unplaced');
    await check('4 rows').click();
    const unread = page.locator('.unread-rows');
    await unread.getByText('3 rows whose place could not be read').waitFor();
    assert.match(
      await unread.innerText(),
      /Row 3\s+Mill two\s+Coordinate cannot be read\..*value "north": The value is not a latitude/s,
    );
    const task = new URL(page.url()).search;
    const again = unread.getByRole('button', { name: /again$/ });
    assert.equal(await again.isDisabled(), true);
    await unread.getByLabel('Row 3, latitude').fill('4.599');
    assert.equal(await again.innerText(), 'Check 1 corrected row again');
    assert.deepEqual(await window.axe(), []);
    await window.shot('unread-rows');
    await again.click();
    await page.waitForURL((url) => !url.href.endsWith(task));
    await rows().filter({ hasText: 'Mill two' }).waitFor();
    assert.equal(await rows().count(), 1);
    assert.match(await rows().first().innerText(), /Mill two\s+–\s+Malaysia\s+Palm/);
    assert.equal(await unread.count(), 0);
    await page.goBack();
    await rows().nth(3).waitFor();
  });

  it('that is larger than the limit is refused before any of it is sent', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New check' }).click();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await choose(csv('large.csv', 'name,lat,lon', 'x'.repeat(1_300_000)));
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(
      await alert.innerText(),
      /The file has 1\.3 MB; at most 1 MB can be sent here\s+Nothing was sent\. Split the file.*Collections take larger files\./s,
    );
    assert.deepEqual(
      sent.filter((request) => request.startsWith('POST')),
      [],
    );
    assert.deepEqual(await window.axe(), []);
    await window.shot('file-review-too-large');
  });

  it('that cannot be read is refused in words with the way out, and the codes are folded', async () => {
    const { page } = window;
    await choose({
      name: 'a.geojson',
      mimeType: 'application/json',
      buffer: Buffer.from('{"type": "FeatureCollection", '),
    });
    const alert = page.getByRole('alert');
    await alert.getByText('The file cannot be read').waitFor();
    await alert.getByText('It ends in the middle').waitFor();
    assert.doesNotMatch(await alert.innerText(), /byte 30/);
    await alert.getByText('Open it in the program it came from and save it again').waitFor();
    const code = alert.getByText('malformed_file (400)');
    assert.equal(await code.isVisible(), false);
    await alert.getByText('Details', { exact: true }).click();
    assert.equal(await code.isVisible(), true);
    assert.match(await alert.innerText(), /end of the file \(line 1, byte 30\)\s+Request [\w-]+/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('file-review-refused');
  });

  it('stays within the page of a collection however many columns it has', async () => {
    const names = Array.from({ length: 14 }, (_, i) => `Column number ${i}`);
    await window.go('/console/collections');
    await choose(csv('wide.csv', ['lat', 'lon', ...names].join(), ['4.58', '102.61', ...names].join()));
    await settled();
    assert.equal(
      await window.page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main .page'))",
      ),
      0,
    );
  });

  it('of six columns is not moved sideways in a window of 1280 pixels', async () => {
    const { page } = window;
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 1280, height: 900 });
    await window.go('/console/facilities');
    await choose(
      csv(
        'six.csv',
        'name,supplier,commodity,latitude,longitude,address',
        'Kilang Sawit Contoh,PT Contoh,palm,4.5821,102.6124,Pekan Contoh',
      ),
    );
    await settled();
    const wider = await page.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.first-rows .scroll-x'))`,
    );
    await page.setViewportSize(before);
    assert.equal(wider, 0);
  });

  it('is looked at in the same way before it becomes a collection', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await choose(
      csv('cocoa lot.csv', 'Petani;Titik A;Titik B;Luas', 'Siti;4.590001;102.600001;1.5', 'Budi;x;102.61;2'),
    );
    await settled();
    const process = page.getByRole('button', { name: 'Process', exact: true });
    await review().getByText('Proposed: the name of the file says “cocoa”.').waitFor();
    assert.equal(await menu('Petani').inputValue(), 'supplier_name');
    await menu('Titik A').selectOption('latitude');
    await menu('Titik B').selectOption('longitude');
    await review().getByText('1 with a place').waitFor();
    await settled();
    const about = (theme: string) => review().getByRole('row', { name: new RegExp(`^${theme} `) });
    assert.match(await about('Forest of 2020').innerText(), /1 \/ 1/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection-review');
    await process.click();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
    const id = new URL(page.url()).searchParams.get('id')!;
    const { mapping, crop_type: crop } = (await (await service.fetch(`/collections/${id}`)).json()) as {
      readonly mapping: readonly { readonly columns: readonly { column: string; field: string | null }[] }[];
      readonly crop_type: string;
    };
    assert.equal(crop, 'cocoa');
    assert.deepEqual(
      mapping[0]!.columns.map(({ column, field }) => [column, field]),
      [
        ['Petani', 'supplier_name'],
        ['Titik A', 'latitude'],
        ['Titik B', 'longitude'],
        ['Luas', 'area'],
      ],
    );
  });

  it('is looked at in the dark and on a phone, within the page', async () => {
    for (const [theme, width] of [
      ['dark', 1280],
      ['dark', 390],
      ['light', 390],
    ] as const) {
      await using other = await browser.open({ theme, width, height: 844 });
      await other.go('/console/facilities');
      await other.signIn(service.token);
      const lines = ['Mill one,4.5821,102.6124,A long address that needs room', 'Mill two,north,102.5853,'];
      await other.page
        .locator('input[type=file]')
        .setInputFiles(csv('mills.csv', 'name,latitude,longitude,some remark', ...lines));
      await other.page.locator('.file-review-body[data-busy=false]').waitFor();
      const right = await other.page.evaluate<number>(
        `document.querySelector('.file-review').getBoundingClientRect().right`,
      );
      assert.ok(right <= width, `it ends at ${right} of ${width}`);
      assert.deepEqual(await other.axe(), []);
      await other.shot('file-review');
      await other.page.getByLabel('Commodity', { exact: true }).selectOption('palm');
      await other.page.getByRole('button', { name: 'Check 2 rows' }).click();
      await other.page.locator('.unread-rows').waitFor();
      assert.equal(await other.overflows(), false);
      await other.shot('unread-rows');
      assert.deepEqual(other.faults, []);
    }
  });

  it('has its reasons in the language of the page', async () => {
    await using other = await browser.open({ locale: 'de-DE' });
    await other.go('/console/facilities');
    await other.page.getByLabel('Token', { exact: true }).fill(service.token);
    await other.page.getByRole('button', { name: 'Anmelden' }).click();
    await other.page
      .locator('input[type=file]')
      .setInputFiles(csv('mills.csv', 'name,lat,lon', 'Mill two,north,102.5'));
    const row = other.page.locator('.unplaced li');
    await row.waitFor();
    assert.match(await row.innerText(), /^Mill two Koordinate nicht lesbar Zeile 2, Spalte „lat“, Wert „north“/);
    await other.shot('file-review-german');
  });

  it('requests nothing from elsewhere', () => {
    assert.deepEqual(window.faults, []);
  });
});

describe('map data that is missing', { skip: browserSkip() }, () => {
  let window: ConsoleWindow;
  let service: RunningProcess;
  // Nothing listens there.
  const env = {
    AUTO_DATA: 'on',
    PUBLIC_DATA: 'off',
    OVERTURE_URL: 'http://127.0.0.1:9',
    OVERTURE_INDEX_URL: 'http://127.0.0.1:9',
  };
  withConsole((opened) => ({ service, window } = opened), { env });

  it('can be fetched before the check, and is said to be missing where that fails', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await page
      .locator('input[type=file]')
      .setInputFiles(csv('palm.csv', 'name,lat,lon', 'Here,4.5821,102.6124', 'Far,5.7,-73.1'));
    const roads = page.getByRole('row', { name: /^Roads / });
    await roads.waitFor();
    assert.match(await roads.innerText(), /1 \/ 2\s+1\s+–/);
    await page.getByRole('button', { name: 'Fetch map data of 1 cell', exact: true }).click();
    await page.getByRole('alert').getByText('Map data of 1 cell could not be fetched.').waitFor();
    assert.match(await roads.innerText(), /1 \/ 2\s+1\s+–/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('file-review-fetch');
  });
});
