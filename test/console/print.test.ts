import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

/** For the first check of a service, which starts its threads, and for that of many rows, next to other work. */
const CHECK_MS = 120_000;
const NO_POPPLER = spawnSync('pdftotext', ['-v']).error === undefined ? false : 'needs pdftotext of poppler-utils';

/** How much of the picture of the map is dark, and how many colours it has. */
const LOOK_AT_PAPER = `(async () => {
  const image = new Image();
  image.src = globalThis.onPaper;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const pixels = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
  const isDark = (pixel) => (pixel & 255) + ((pixel >> 8) & 255) + ((pixel >> 16) & 255) < 240;
  return { dark: pixels.filter(isDark).length / pixels.length, colours: new Set(pixels).size };
})()`;

interface Printed {
  readonly pages: number;
  readonly text: string;
  readonly images: number;
}

describe('a printed sheet', { skip: browserSkip() || NO_POPPLER }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, window } = opened), { maps: true });

  /** What poppler reads of the page as it is printed once the button was pressed. */
  async function printed(page: Page): Promise<Printed> {
    await page.getByRole('button', { name: 'Print', exact: true }).click();
    await page.getByText(/were signed on/).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Print', exact: true, disabled: false }).waitFor();
    return await onPaper(page);
  }

  /** What poppler reads of the page as the browser prints it. */
  async function onPaper(page: Page): Promise<Printed> {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-print-'));
    try {
      const file = join(folder, 'sheet.pdf');
      await writeFile(file, await page.pdf({ preferCSSPageSize: true, printBackground: true }));
      const read = (tool: string, ...words: string[]): string => {
        const { status, stdout, stderr } = spawnSync(tool, words, { encoding: 'utf8' });
        assert.equal(status, 0, stderr);
        return stdout;
      };
      const images = read('pdfimages', '-list', file).trim().split('\n').slice(2);
      return {
        pages: Number(/Pages: +(\d+)/.exec(read('pdfinfo', file))?.[1]),
        text: read('pdftotext', '-layout', file, '-').replaceAll(/\s+/g, ' '),
        // The map is the one picture of that size, also of half the pixels, as under CI.
        images: images.filter((line) => Number(line.trim().split(/\s+/)[3]) > 150).length,
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('of a facility is one page with map, evidence, review, address and signature', async () => {
    const { page } = window;
    // The file is made below; a browser that prints by itself at the same time refuses that.
    await page.addInitScript('globalThis.print = () => {}');
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
    await page.getByLabel('Or paste coordinates').fill('4.5821, 102.6124, Kilang Sawit Contoh');
    await page.getByRole('button', { name: 'Check 1', exact: true }).click();
    await page.locator('.vtable-body [role=row]').first().click({ timeout: CHECK_MS });
    await page.getByText('counted for the score').waitFor({ state: 'attached' });
    await window.mapIdle();
    await page.getByLabel('Note').fill('Seen on the image of 2024.');
    await page.getByRole('button', { name: 'Accepted' }).click();
    await page.locator('.detail').getByText('Seen on the image of 2024.').first().waitFor();
    const { pages, text, images } = await printed(page);
    assert.equal(pages, 1, text);
    assert.ok(images >= 1);
    assert.match(text, /Kilang Sawit Contoh/);
    assert.match(text, /How the score came about/);
    for (const indicator of ['Buildings', 'Road', 'Water']) assert.ok(text.includes(indicator), indicator);
    assert.match(text, /Seen on the image of 2024\./);
    const task = new URL(page.url()).searchParams.get('task')!;
    assert.ok(text.replaceAll(' ', '').includes(`/console/facilities?task=${task}`), text);
    assert.match(text, /were signed on .* SHA- ?256 [0-9a-f]{64}/);
  });

  it('of a facility that nothing is known of is one page too, with what would settle it', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await page.getByLabel('Commodity', { exact: true }).selectOption('cocoa');
    await page.getByLabel('Or paste coordinates').fill('6.7, -1.6, Far away');
    await page.getByRole('button', { name: 'Check 1', exact: true }).click();
    await page.locator('.vtable-body [role=row]').first().click();
    await page.locator('.detail .open-indicators').waitFor();
    await window.mapIdle();
    const { pages, text } = await printed(page);
    assert.equal(pages, 1, text);
    assert.match(text, /What is not known, and why/);
    // Only what is missing and would change the score: of water and ports nothing would.
    assert.match(text, /Commodity: .*Businesses: .*Buildings: .*Roads: no data covers this place/s);
    assert.doesNotMatch(text, /(Water|Port|Dense urban area): no data/);
  });

  it('of a plot is whole pages with the same', async () => {
    const { page } = window;
    const form = new FormData();
    form.set('collection_name', 'Printed');
    form.set('stats', 'true');
    form.set('validate_locations', 'true');
    const file = JSON.stringify({ type: 'FeatureCollection', features: samplePlots().slice(0, 4) });
    form.set('file', new File([file], 'plots.geojson', { type: 'application/geo+json' }));
    const answer = await service.fetch('/batch_process', { method: 'POST', body: form });
    const { collection_id: id } = (await answer.json()) as { collection_id: string };
    await window.go(`/console/collections?id=${id}`);
    await page.getByRole('button', { name: 'Plots', exact: true }).click();
    await page.locator('.vtable-body [role=row]').filter({ hasText: 'cleared in 2021' }).click();
    await page.locator('.detail').getByRole('heading', { name: 'Synthetic block cleared in 2021' }).waitFor();
    await window.mapIdle();
    const { pages, text, images } = await printed(page);
    assert.equal(pages, 1, text);
    assert.ok(images >= 1);
    assert.match(text, /Synthetic block cleared in 2021/);
    assert.match(text, /sample-district-losses/);
    assert.ok(text.replaceAll(' ', '').includes(id));
    assert.match(text, /were signed on .* SHA- ?256 [0-9a-f]{64}/);
    assert.deepEqual(window.faults, []);
  });

  it('of a table has all columns and the rows beyond the window too', async () => {
    const { page } = window;
    const places = Array.from(
      { length: 340 },
      (_, i) => `4.58${i}, 102.6124, Place ${i + 1} with a name that is longer than its column`,
    );
    await window.go('/console/facilities');
    await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
    await page.getByLabel('Or paste coordinates').fill(places.join('\n'));
    await page.getByRole('button', { name: 'Check 340', exact: true }).click();
    await page.locator('.vtable[aria-rowcount="341"]').waitFor({ timeout: CHECK_MS });
    await window.mapIdle();
    const many = await onPaper(page);
    // The map before the table, with its scale, its legend and whom it is from.
    assert.equal(many.images, 1);
    const [head = ''] = many.text.split(' Place 1 ');
    for (const part of [/\bhigh\b/, /\bunverified\b/, /\b\d+ k?m\b/, /© OpenStreetMap/]) assert.match(head, part);
    assert.match(many.text, /Place 300\b/);
    assert.doesNotMatch(many.text, /Place 301\b/);
    assert.match(many.text, /The first 300 of 340 rows/);
    // Every name with a 1 in it.
    await page.getByRole('searchbox').fill('1');
    await page.locator('.vtable[aria-rowcount="152"]').waitFor();
    await window.mapIdle();
    const few = await onPaper(page);
    for (let i = 100; i <= 199; i++) assert.match(few.text, new RegExp(`Place ${i}\\b`));
    assert.match(few.text, /than its column/);
    assert.match(few.text, /Commodity/);
    assert.doesNotMatch(few.text, /The first/);
    const boxes = page.locator('.vtable [type=checkbox]');
    assert.notEqual(await boxes.count(), 0);
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    await boxes.first().waitFor({ state: 'detached' });
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await boxes.first().waitFor();
  });

  it('of a table has the map too where the window shows the table alone', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 390, height: 844 });
    // As if it was opened there: this map never had a larger room.
    await page.reload();
    await page.locator('.vtable[aria-rowcount="152"]').waitFor();
    await page.locator('.map-canvas[data-idle]').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.results-map').isVisible(), false);
    assert.equal(await page.locator('.maplibregl-ctrl-attrib-inner').isVisible(), false);
    assert.equal(await window.overflows(), false);
    const { images, text } = await onPaper(page);
    assert.equal(images, 1);
    const [head = ''] = text.split(' Place 1 ');
    for (const part of [/\bhigh\b/, /\bunverified\b/, /\b\d+ k?m\b/, /© OpenStreetMap/]) assert.match(head, part);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('has its map in light colours where the page is dark, by the key of the browser too', async () => {
    const { page } = window;
    await page.emulateMedia({ colorScheme: 'dark' });
    // What a browser does once it was told to print: it takes what is drawn between the two events.
    await page.evaluate(`globalThis.print = () => {
      dispatchEvent(new Event('beforeprint'));
      globalThis.onPaper = document.querySelector('.print-map img').src;
      document.documentElement.dataset.onPaper = 'yes';
      dispatchEvent(new Event('afterprint'));
    }`);
    await page.locator('.map-canvas[data-idle=dark]').waitFor();
    await page.keyboard.press('Control+p');
    await page.locator('html[data-on-paper]').waitFor({ state: 'attached' });
    const { dark, colours } = await page.evaluate<{ dark: number; colours: number }>(LOOK_AT_PAPER);
    assert.ok(dark < 0.1, `${dark} of the map is dark`);
    // More than ground and water: roads, names and marks.
    assert.ok(colours > 20, `${colours} colours`);
    await page.locator('html[data-theme=dark]').waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('of a forest patch has the map once', async () => {
    await window.go('/console/forest?at=4.6,102.61');
    await window.page.locator('.figure').first().waitFor();
    await window.mapIdle();
    const { images, pages, text } = await onPaper(window.page);
    assert.equal(images, 1);
    assert.equal(pages, 1, text);
  });

  it('of a collection has its name, and none of what it can be filed or fetched with', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await page.getByRole('link', { name: 'Printed' }).click();
    await page.getByRole('heading', { name: 'Loss of trees by year' }).waitFor();
    const { text } = await onPaper(page);
    assert.match(text, /Printed/);
    assert.match(text, /Loss of trees by year/);
    assert.doesNotMatch(text, /Customs codes|Authentication key|Prepare a statement|Downloads/);
  });
});
