import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

describe('the page of facilities', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, browser, window } = opened), { maps: true });

  const rows = () => window.page.locator('.vtable-body [role=row]');

  it('requires signing in', async () => {
    await window.go('/console/facilities');
    await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('sign-in');
    await window.signIn(service.token);
    assert.ok(!window.page.url().includes(service.token));
  });

  it('checks pasted places, and shows them in a table and on a map', async () => {
    const { page } = window;
    await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
    await page
      .getByLabel('Or paste coordinates')
      .fill('4.5821, 102.6124, Kilang Sawit Contoh\n4.599, 102.5853, Depot\n4.6102, 102.6053, Station\nno place here');
    await page.getByText('No place was found in line 4.').waitFor();
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('button', { name: 'Check 3' }).click();
    await rows().nth(2).waitFor();
    assert.match(page.url(), /\/console\/facilities\?task=[\w-]+/);
    assert.match(await rows().first().innerText(), /high\s+0\.75\s+Kilang Sawit Contoh\s+–\s+Malaysia\s+Palm/);
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('facilities');
  });

  it('shows the score as a waterfall from 1.00, the evidence with its datasets, and what counted on the map', async () => {
    const { page } = window;
    const detail = page.locator('.detail');
    const waterfall = async (row: number, name: string): Promise<readonly string[]> => {
      await rows().nth(row).click();
      await detail.getByRole('heading', { name }).waitFor();
      const bars = await detail.locator('.waterfall tbody tr').allInnerTexts();
      return bars.map((text) => text.replaceAll(/\s+/g, ' ').trim());
    };
    assert.deepEqual(await waterfall(1, 'Depot'), [
      'Start 1.00',
      'Commodity (not known) −0.25 0.75',
      'Businesses (not known) −0.20 0.55',
      'Buildings −0.15 0.40',
      'Score 0.40',
    ]);
    const line = (await detail.locator('.score-line').innerText()).replaceAll(/\s+/g, ' ');
    assert.match(line, /unverified 0\.40–0\.85/);
    assert.match(await detail.innerText(), /3 of 5 indicators assessed/);
    assert.deepEqual(await waterfall(0, 'Kilang Sawit Contoh'), [
      'Start 1.00',
      'Commodity (not known) −0.25 0.75',
      'Score 0.75',
    ]);
    const commodity = detail.locator('.evidence > li', { hasText: 'Commodity' });
    assert.match(await commodity.innerText(), /present\s+.*sample-district-palm sample-crops-1\s*synthetic/s);
    const road = detail.locator('.evidence > li', { hasText: 'Roads' });
    assert.match(
      await road.innerText(),
      /present\s+7 m\s+Nearest road: track, 7 m away\.\s+sample-district-roads sample-1/,
    );
    await page.getByText('counted for the score').waitFor({ state: 'attached' });
    assert.match(page.url(), /[?&]sel=0/);
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('facility');
  });

  it('opens the result whose mark on the map is clicked', async () => {
    const { page } = window;
    const [zoom = 0, lat = 0, lon = 0] = (new URL(page.url()).searchParams.get('map') ?? '').split('/').map(Number);
    const box = await page.locator('.maplibregl-canvas').boundingBox();
    const pixels = 512 * 2 ** zoom;
    const y = (of: number) => (Math.log(Math.tan(Math.PI / 4 + (of * Math.PI) / 360)) / (2 * Math.PI)) * pixels;
    await page.mouse.click(
      (box?.x ?? 0) + (box?.width ?? 0) / 2 + ((102.6053 - lon) / 360) * pixels,
      (box?.y ?? 0) + (box?.height ?? 0) / 2 - (y(4.6102) - y(lat)),
    );
    await page.locator('.detail').getByRole('heading', { name: 'Station' }).waitFor();
    await rows().first().click();
    await page.locator('.detail').getByRole('heading', { name: 'Kilang Sawit Contoh' }).waitFor();
  });

  it('keeps results, choice and filters over a reload, by the address alone', async () => {
    const { page } = window;
    await page.goto(page.url().replace(/map=[\d./]+/, 'map=12.50/4.60000/102.60000'));
    await page.locator('.detail').getByRole('heading', { name: 'Kilang Sawit Contoh' }).waitFor();
    await window.mapIdle();
    assert.match(page.url(), /map=12\.50\/4\.6\d*\/102\.6\d*/);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^high/ }).click();
    await page.waitForFunction(`document.querySelectorAll('.vtable-body [role=row]').length === 1`);
    assert.match(page.url(), /level=high/);
    await page.reload();
    await rows().first().waitFor();
    assert.equal(await rows().count(), 1);
    await page.getByLabel('Indicator', { exact: true }).selectOption('road_access:absent');
    await page.getByText('No result fits the filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await rows().nth(2).waitFor();
  });

  it('is worked by keys alone: sort, move and open', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Score' }).focus();
    await page.keyboard.press('Enter');
    await rows().first().filter({ hasText: 'Station' }).waitFor();
    await page.locator('.vtable').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.detail').getByRole('heading', { name: 'Depot' }).waitFor();
    assert.match(page.url(), /sort=score/);
    await page.keyboard.press('Escape');
    await page.locator('.detail').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.className'), 'vtable');
    await page.getByRole('region', { name: 'Map of 3 results' }).waitFor();
  });

  it('exports what is shown as GeoJSON and CSV', async () => {
    const { page } = window;
    const save = async (name: string): Promise<string> => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      return await readFile(await download.path(), 'utf8');
    };
    const { features } = JSON.parse(await save('GeoJSON')) as { features: { properties: { evidence: unknown[] } }[] };
    assert.equal(features.length, 3);
    assert.equal(features[0]?.properties.evidence.length, 10);
    const lines = (await save('CSV')).trim().split('\r\n');
    assert.equal(lines.length, 4);
    assert.match(lines[0] ?? '', /^file,row,id,longitude,latitude,location_type,facility_name/);
    assert.match(lines[1] ?? '', /^places\.geojson,3,/);
  });

  it('takes a file of another format, and says how it was read', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New check' }).click();
    const csv = 'Nama;Lintang;Bujur\nKilang;4,5821;102,6124\nTanpa;;\n';
    await chooseFile(page, { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('button', { name: 'Check 2 rows' }).click();
    await rows().nth(1).waitFor();
    await page.getByText('How the file was read').click();
    await page.getByRole('cell', { name: 'latitude', exact: true }).waitFor();
  });

  it('shows what a file says as text, however it is written, and within its place', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New check' }).click();
    const image = '<img src=x onerror=alert(1)>';
    const csv = `name,latitude,longitude,${image},${'ا'.repeat(200)}\n${image},4.5821,102.6124,${'W'.repeat(2_000)},x\n${'W'.repeat(400)},4.6,102.6,,\n`;
    await chooseFile(page, { name: `${image}.csv`, mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('button', { name: 'Check 2 rows' }).click();
    await rows().nth(1).waitFor();
    for (const [at, name] of [image, 'W'.repeat(400)].entries()) {
      await rows().nth(at).click();
      await page.locator('.detail').getByRole('heading', { name, exact: true }).waitFor();
      for (const summary of await page.locator('.detail summary').all()) await summary.click();
      const tooWide = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.results-detail'))`;
      assert.equal(await page.evaluate(tooWide), 0);
    }
    assert.equal(await page.locator('main :not(.print-map) > img').count(), 0);
    assert.equal(await window.overflows(), false);
  });

  it('says why a file cannot be read', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New check' }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'a.geojson',
      mimeType: 'application/json',
      buffer: Buffer.from('{"type": "FeatureCollection", '),
    });
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await window.axe(), []);
  });

  it('works in the dark and on a narrow screen', async () => {
    await using dark = await browser.open({ theme: 'dark' });
    await using narrow = await browser.open({ width: 360, height: 740 });
    const shared = window.page.url().split('?')[0] ?? '';
    for (const other of [dark, narrow]) {
      await other.go(new URL(shared).pathname);
      await other.signIn(service.token);
      await other.page.locator('.recent-list a').last().click();
      await other.page.locator('.vtable-body [role=row]').first().waitFor();
      await other.page.locator('.vtable-body [role=row]').first().click();
      await other.page.locator('.detail').waitFor();
      await other.mapIdle();
      assert.deepEqual(await other.axe(), []);
      assert.equal(await other.overflows(), false);
      await other.shot('facility');
      assert.deepEqual(other.faults, []);
    }
  });

  it('sent no request elsewhere, and broke no rule of its policy', () => {
    assert.deepEqual(window.faults, []);
  });
});
