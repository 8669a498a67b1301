/**
 * The console with 50,000 facilities in Chromium, compared in turn with as many rows as one plain HTML table in the same browser: when the
 * first rows are there, when all are, sorting, filtering, frames while scrolling; processor time of the page and of drawing. At the end, once
 * and apart, since a trace takes time of its own: the processor time of the longest tasks. Facilities are made up.
 * Run: console.ts [rows = 50000]
 */
import type { Page } from 'playwright-core';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { openBrowser } from '../test/console/browser.ts';
import { chooseFile } from '../test/console/choose-file.ts';
import { runService } from '../test/end-to-end/run-service.ts';
import { pageTasks, processorOf, type PageProcessor, type PageTasks } from './page-tasks.ts';
import { saveResult } from './results.ts';
import { median, quantile, ROUNDS } from './rounds.ts';

const ROWS = Number(process.argv[2] ?? 50_000);
const SCROLL_FRAMES = 120;
/** Pixels a frame: a quick turn of the wheel. */
const SCROLL_STEP = 300;
/** Of a screen of 60 Hz. */
const FRAME_MS = 17;
/** Until the map has followed the filter. */
const SETTLED_MS = 2_000;
/** Places of the buttons that sort by score and by name: numbers, and texts of which nearly all differ. */
const SORTED = [2, 3];
const KEYS = ['F', 'Fa', 'Facility 1', 'Facility 12', 'Facility 123', ''];
/** Notes every task of the page over 50 ms. */
const WATCH = `window.long = []; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.long.push(Math.round(duration));
}).observe({ type: 'longtask', buffered: true });`;

/** Milliseconds to the first and to all rows, and to read the same answer without a page. */
interface Opened extends PageProcessor {
  readonly first: number;
  readonly all: number;
  readonly service: number;
}

/** Milliseconds. */
interface Round extends Opened {
  readonly plainDrawn: number;
  /** The median of all keys; and that of looking for their texts alone, in an array. */
  readonly key: number;
  readonly plainKey: number;
  readonly search: number;
  readonly sort: number;
  readonly frame: number;
  readonly plainFrame: number;
  readonly longest: number;
}

await using service = await runService({});
await using browser = await openBrowser(service.url, { maps: true });
await using window = await browser.open();
await using other = await browser.open({ maps: false });
const { page } = window;
page.setDefaultTimeout(180_000);
other.page.setDefaultTimeout(180_000);
await page.addInitScript({ content: WATCH });
await window.go('/');
await window.signIn(service.token);
await check(page);

const task = new URL(page.url()).searchParams.get('task')!;
const rounds: Round[] = [];
for (let i = 0; i <= ROUNDS; i++) {
  rounds.push(await round(i));
  say(
    `round ${i}`,
    JSON.stringify(rounds.at(-1), (_, value) => (typeof value === 'number' ? Math.round(value) : value)),
  );
}
const traced: readonly PageTasks[] = [
  await pageTasks(page, async () => void (await readAll(page))),
  await pageTasks(page, async () => {
    for (const text of KEYS) await typed(page, text);
    await page.waitForTimeout(SETTLED_MS);
  }),
  await pageTasks(page, async () => {
    for (const column of SORTED) {
      await page.evaluate(clickOf(column));
      await page.waitForTimeout(SETTLED_MS);
    }
  }),
];
for (const tasks of traced) say('traced', inWords(tasks));
report();

async function round(at: number): Promise<Round> {
  const opened = await open(page);
  const columns = await page.locator('.vtable-head [role=columnheader]').count();
  const plainDrawn = await plainTable(other.page, columns);
  const [keys, plainKeys]: [number[], number[]] = [[], []];
  for (const text of KEYS) keys.push(await typed(page, text));
  await page.waitForTimeout(SETTLED_MS);
  for (const text of KEYS) plainKeys.push(await typed(other.page, text));
  const search = await other.page.evaluate<number>(`(() => {
    const begun = performance.now();
    for (const text of ${JSON.stringify(KEYS)}) texts.filter((one) => one.includes(text.toLowerCase()));
    return (performance.now() - begun) / ${KEYS.length};
  })()`);
  const sort = await untilDrawn(page, '.vtable', clickOf(at % 2 === 0 ? 2 : 1));
  const longest = Math.max(0, ...(await longTasks(page)));
  const frame = await scrolling(page, '.vtable');
  const plainFrame = await scrolling(other.page, '#box');
  const [key, plainKey] = [median(keys), median(plainKeys)];
  return { ...opened, plainDrawn, key, plainKey, search, sort, frame, plainFrame, longest };
}

function report(): void {
  const of = (key: keyof Round): number => median(rounds.slice(1).map((one) => one[key]));
  const ms = (key: keyof Round): string => `${of(key).toFixed(0)} ms`;
  const count = ROWS.toLocaleString('en');
  const plain = 'a plain HTML table of as many rows, which reads nothing and hides rows';
  saveResult('console', [
    {
      what: `first rows of ${count} results, from opening their address`,
      ours: seconds(of('first')),
      goal: 'under 2 s',
      peers: [{ name: plain, times: of('plainDrawn') / of('first') }],
    },
    {
      what: `all rows of ${count} results`,
      ours: `${seconds(of('all'))}; ${seconds(of('page'))} of processor of the page, ${seconds(of('drawing'))} of drawing`,
      goal: 'under 20 s',
      peers: [{ name: plain, times: of('plainDrawn') / of('all') }],
      limit: `reading the same answer without a page, ${seconds(of('service'))}`,
    },
    {
      what: `filter ${count} rows by text, a key, until it is drawn`,
      ours: ms('key'),
      goal: 'under 100 ms',
      peers: [{ name: plain, times: of('plainKey') / of('key') }],
      limit: `looking for the text in an array of as many, ${of('search').toFixed(1)} ms, and a frame of ${FRAME_MS} ms`,
    },
    { what: `sort ${count} rows, until it is drawn`, ours: ms('sort') },
    {
      what: 'longest task of the page while it reads all rows, filters and sorts',
      ours: `${ms('longest')} on the clock, of which the page waits for the map to be drawn`,
    },
    {
      what: 'the same, processor time of its own, one run',
      ours: `${Math.max(...traced.map(({ longestOwn }) => longestOwn)).toFixed(0)} ms`,
      goal: 'under 100 ms',
    },
    {
      what: 'a frame while scrolling, 95 %',
      ours: ms('frame'),
      peers: [{ name: plain, times: of('plainFrame') / of('frame') }],
      limit: `a screen of 60 Hz, ${FRAME_MS} ms`,
    },
  ]);
}

/** Chooses the file, begins its check after it was looked at, and follows the table until it holds every row. */
async function check(on: Page): Promise<void> {
  const file = { name: 'facilities.geojson', mimeType: 'application/geo+json', buffer: facilities() };
  const chosen = performance.now();
  await chooseFile(on, file);
  say('review', `the file is understood after ${seconds(performance.now() - chosen)}`);
  const begun = performance.now();
  await on.locator('.file-review .button.primary').click();
  await on.locator('.vtable-body [role=row]').first().waitFor();
  const first = performance.now() - begun;
  await on.locator(`.vtable[aria-rowcount="${ROWS + 1}"]`).waitFor();
  const all = performance.now() - begun;
  say('check', `first rows after ${seconds(first)}, all ${ROWS} after ${seconds(all)}, the service's work included`);
}

/** Opens results that are there, from the address to the first and to all of their rows. */
async function open(on: Page): Promise<Opened> {
  const requested = performance.now();
  const answer = await service.fetch(`/tasks/${task}/results`, { headers: { accept: '*/*' } });
  for await (const part of answer.body!) void part;
  const alone = performance.now() - requested;
  let read = { first: 0, all: 0 };
  await on.goto('about:blank');
  const spent = await processorOf(on, async () => void (read = await readAll(on)));
  return { ...read, service: alone, ...spent };
}

/** Milliseconds from the address to the first and to all rows; done when the map has followed. */
async function readAll(on: Page): Promise<Pick<Opened, 'first' | 'all'>> {
  const begun = performance.now();
  await window.go(`/console/facilities?task=${task}`);
  await on.locator('.vtable-body [role=row]').first().waitFor();
  const first = performance.now() - begun;
  await on.locator(`.vtable[aria-rowcount="${ROWS + 1}"]`).waitFor();
  const all = performance.now() - begun;
  await on.waitForTimeout(SETTLED_MS);
  return { first, all };
}

function inWords({ longestOwn, own, long, longTotal, longDrawing }: PageTasks): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return `the longest task has ${ms(longestOwn)} of processor time, all ${ms(own)}; ${long} passed in over 100 ms, together ${ms(longTotal)}, of which they waited ${ms(longDrawing)} for the map to be drawn`;
}

async function longTasks(on: Page): Promise<readonly number[]> {
  await on.waitForTimeout(500);
  return await on.evaluate<number[]>('window.long');
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

function clickOf(column: number): string {
  return `document.querySelectorAll('.vtable-head .vtable-sort')[${column}].click()`;
}

/** From a key in the search field to the frame after the table has changed. */
function typed(on: Page, text: string): Promise<number> {
  return untilDrawn(
    on,
    'main, body',
    `const field = document.querySelector('input[type=search]'); field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event('input', { bubbles: true }))`,
  );
}

/** Milliseconds from doing something in the page until what is inside an element has changed and been painted. */
function untilDrawn(on: Page, inside: string, act: string): Promise<number> {
  return on.evaluate<number>(`new Promise((done) => {
    const begun = performance.now();
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
    });
    watch.observe(document.querySelector('.vtable') ?? document.querySelector(${JSON.stringify(inside)}), { childList: true, subtree: true, characterData: true, attributes: true });
    { ${act} }
  })`);
}

/** Milliseconds between frames while an element scrolls, of which 95 % take no longer. */
async function scrolling(on: Page, selector: string): Promise<number> {
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
  return quantile(frames, 0.95);
}

/**
 * The same number of rows and columns as elements of one page, with a field that hides the rows without the text, as a page without
 * a table of its own would have it; milliseconds until it is drawn.
 */
async function plainTable(on: Page, width: number): Promise<number> {
  await on.goto('about:blank');
  return await on.evaluate<number>(`new Promise((done) => {
    const begun = performance.now();
    const row = (i) => '<tr>' + Array.from({ length: ${width} }, (_, k) => '<td>Facility ' + i * 7 % 1000003 + ' ' + k + '</td>').join('') + '</tr>';
    document.body.innerHTML = '<input type="search"><div id="box" style="height:600px;overflow:auto"><table>' + Array.from({ length: ${ROWS} }, (_, i) => row(i)).join('') + '</table></div>';
    const rows = [...document.querySelectorAll('tr')];
    window.texts = rows.map((one) => one.textContent.toLowerCase());
    document.querySelector('input').addEventListener('input', ({ target }) => {
      const wanted = target.value.toLowerCase();
      document.querySelector('table').dataset.filter = wanted;
      for (let i = 0; i < rows.length; i++) rows[i].hidden = !texts[i].includes(wanted);
    });
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
  })`);
}

function seconds(value: number): string {
  return `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`;
}

function say(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(8)} ${text}\n`);
}
