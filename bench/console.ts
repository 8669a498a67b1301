/**
 * The console with 50,000 facilities in Chromium, compared with the same rows as one plain HTML table in the same browser: when the first rows are
 * there, when all are, sorting, filtering, and frames while scrolling. Facilities are made up. Run: console.ts [rows = 50000]
 */
import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { openBrowser } from '../test/console/browser.ts';
import { runService } from '../test/end-to-end/run-service.ts';
import { median, quantile } from './rounds.ts';

const ROWS = Number(process.argv[2] ?? 50_000);
const SCROLL_FRAMES = 120;
/** Pixels a frame: a quick turn of the wheel. */
const SCROLL_STEP = 300;
const SORTS = 5;

await using service = await runService({});
await using browser = await openBrowser(service.url);
await using window = await browser.open();
const { page } = window;
await window.go('/');
await window.signIn(service.token);
await fill(page);
await sortAndFilter(page);
say('console', await scrolling(page, '.vtable'));
say('plain', await plainTable(page));
say(
  'load',
  loadavg()
    .map((load) => load.toFixed(1))
    .join(' '),
);

/** Uploads the file and follows the table until it holds every row. */
async function fill(on: Page): Promise<void> {
  const file = { name: 'facilities.geojson', mimeType: 'application/geo+json', buffer: facilities() };
  const begun = performance.now();
  await on.locator('input[type=file]').setInputFiles(file);
  await on.locator('.vtable-body [role=row]').first().waitFor({ timeout: 120_000 });
  const first = performance.now() - begun;
  await on.locator(`.vtable[aria-rowcount="${ROWS + 1}"]`).waitFor({ timeout: 240_000 });
  say(
    'rows',
    `first after ${(first / 1000).toFixed(1)} s, all ${ROWS} after ${((performance.now() - begun) / 1000).toFixed(1)} s, the service's work included`,
  );
}

function facilities(): Buffer {
  const random = seededRandom(3);
  const features = Array.from({ length: ROWS }, (_, i) => ({
    type: 'Feature',
    id: i,
    properties: { name: `Facility ${Math.floor(random() * 1e6)}` },
    geometry: { type: 'Point', coordinates: [95 + random() * 45, -8 + random() * 14] },
  }));
  return Buffer.from(JSON.stringify({ type: 'FeatureCollection', features }));
}

/** Each from the click to the frame after the table shows the result. */
async function sortAndFilter(on: Page): Promise<void> {
  const sorts: number[] = [];
  for (let i = 0; i < SORTS; i++)
    sorts.push(await untilDrawn(on, `document.querySelectorAll('.vtable-head button')[2].click()`));
  const keys: number[] = [];
  for (const text of ['F', 'Fa', 'Facility 1', 'Facility 12', 'Facility 123'])
    keys.push(
      await untilDrawn(
        on,
        `const field = document.querySelector('input[type=search]'); field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event('input', { bubbles: true }))`,
      ),
    );
  await untilDrawn(
    on,
    `const field = document.querySelector('input[type=search]'); field.value = ''; field.dispatchEvent(new Event('input', { bubbles: true }))`,
  );
  say(
    'console',
    `sorted in ${median(sorts).toFixed(0)} ms, filtered by text in ${median(keys).toFixed(0)} ms a key (medians)`,
  );
}

/** Milliseconds from doing something in the page until the table has changed and been painted. */
function untilDrawn(on: Page, act: string): Promise<number> {
  return on.evaluate<number>(`new Promise((done) => {
    const begun = performance.now();
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
    });
    watch.observe(document.querySelector('.vtable'), { childList: true, subtree: true, characterData: true, attributes: true });
    { ${act} }
  })`);
}

/** Milliseconds between frames while an element scrolls. */
async function scrolling(on: Page, selector: string): Promise<string> {
  const frames = await on.evaluate<number[]>(`new Promise((done) => {
    const box = document.querySelector(${JSON.stringify(selector)});
    const frames = [];
    let last = performance.now();
    const step = (now) => {
      frames.push(now - last);
      last = now;
      box.scrollTop += ${SCROLL_STEP};
      if (frames.length > ${SCROLL_FRAMES}) done(frames.slice(1));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  const [p50, p95, longest] = [0.5, 0.95, 1].map((share) => quantile(frames, share).toFixed(0));
  return `a frame while scrolling ${p50} / ${p95} / ${longest} ms (median / 95 % / longest)`;
}

/** The same number of rows and columns as elements of one page, as a page without a table of its own would show them. */
async function plainTable(on: Page): Promise<string> {
  const columns = await on.locator('.vtable-head [role=columnheader]').count();
  await on.goto('about:blank');
  const drawn = await on.evaluate<number>(`new Promise((done) => {
    const begun = performance.now();
    const row = (i) => '<tr>' + Array.from({ length: ${columns} }, (_, k) => '<td>Facility ' + i * 7 % 1000003 + ' ' + k + '</td>').join('') + '</tr>';
    document.body.innerHTML = '<div id="box" style="height:600px;overflow:auto"><table>' + Array.from({ length: ${ROWS} }, (_, i) => row(i)).join('') + '</table></div>';
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
  })`);
  return `${ROWS} rows of ${columns} cells drawn in ${(drawn / 1000).toFixed(1)} s; ${await scrolling(on, '#box')}`;
}

function say(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(8)} ${text}\n`);
}
