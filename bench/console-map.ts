/**
 * The map of the console in Chromium: how long until it is there and until all of it is drawn, from afar and close by, and the tasks of the
 * page meanwhile and while the map is dragged and zoomed: those over 50 ms, and the processor time of its main thread and of drawing,
 * which other work of the machine does not change much. Asserts nothing: times depend on the machine.
 * Run: console-map.ts [data folder] [zoom/latitude/longitude]; without, the sample district.
 */
import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/console/browser.ts';
import { runService } from '../test/end-to-end/run-service.ts';
import { pageTasks, type PageTasks } from './page-tasks.ts';
import { saveResult } from './results.ts';
import { median } from './rounds.ts';

const [dataDir, near = '14/4.59/102.6'] = process.argv.slice(2);
const ROUNDS = 5;
const DRAGS = 6;
/** Milliseconds that no task of the page should pass in. */
const LONG = 100;

/** Notes when the map is made and when all of it is drawn for the first time, and every long task. */
const WATCH = `
  window.watched = { long: [], there: null, drawn: null };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.watched.long.push(Math.round(duration));
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver(() => {
    const map = document.querySelector('.map-canvas');
    if (map?.dataset.state === 'ready') window.watched.there ??= performance.now();
    if (map?.dataset.idle === 'true') window.watched.drawn ??= performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true });`;

interface Drawn {
  readonly tasks: PageTasks;
  /** Processor time of the process that draws, in milliseconds. */
  readonly drawing: number;
}

interface Watched {
  readonly long: readonly number[];
  readonly there: number;
  readonly drawn: number;
}

await using service = await runService(dataDir === undefined ? {} : { dataDir });
await using browser = await openBrowser(service.url, { maps: true });
await using window = await browser.open();
const { page } = window;
page.setDefaultTimeout(180_000);
await page.addInitScript({ content: WATCH });
await window.go('/console/forest');
await window.signIn(service.token);
const world = await measure('the world', '1.6/8/20');
const closeBy = await measure('close by', near);
const dragged = await moved(page);
say(
  'load',
  loadavg()
    .map((load) => load.toFixed(1))
    .join(' '),
);

saveResult(
  'console-map',
  [
    { what: 'the map of the world is drawn', ours: `${world.drawn} ms`, goal: 'under 1 s' },
    { what: 'the map of a place is drawn', ours: `${closeBy.drawn} ms`, goal: 'under 1 s' },
    {
      what: 'longest task of the page meanwhile, processor time of its own; worst round',
      ours: `${Math.max(world.longestOwn, closeBy.longestOwn)} ms`,
      goal: 'under 100 ms',
    },
    {
      what: 'the same while the map is dragged and zoomed',
      ours: `${dragged} ms`,
      goal: 'under 100 ms',
    },
  ],
  ROUNDS,
);

/** Milliseconds until all of it is drawn, in the median round, and processor time of the longest task, in the worst. */
async function measure(name: string, place: string): Promise<{ readonly drawn: number; readonly longestOwn: number }> {
  const found: Watched[] = [];
  const drawn: Drawn[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await page.goto('about:blank');
    drawn.push(
      await watchDrawing(page, async () => {
        await window.go(`/console/forest?map=${place}`);
        await window.mapIdle();
      }),
    );
    found.push(await page.evaluate<Watched>('window.watched'));
  }
  const of = (key: 'there' | 'drawn'): string => `${Math.round(median(found.map((one) => one[key])))} ms`;
  say(name, `the map is there after ${of('there')}, all of it is drawn after ${of('drawn')} (median of ${ROUNDS})`);
  say(name, longTasks(found.map(({ long }) => long)));
  say(name, ownWork(drawn));
  return { drawn: Math.round(median(found.map((one) => one.drawn))), longestOwn: longestOf(drawn) };
}

/** Drags the map in turn to all sides and zooms it; returns the processor time of the longest task in milliseconds. */
async function moved(on: Page): Promise<number> {
  await on.evaluate('window.watched.long.length = 0');
  const box = (await on.locator('.maplibregl-canvas').boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const drawn = await watchDrawing(on, async () => {
    for (let i = 0; i < DRAGS; i++) {
      const [dx, dy] = [220 * Math.cos(i), 160 * Math.sin(i)];
      await on.mouse.move(x, y);
      await on.mouse.down();
      await on.mouse.move(x + dx, y + dy, { steps: 12 });
      await on.mouse.up();
      await on.mouse.wheel(0, i % 2 === 0 ? -240 : 240);
      await window.mapIdle();
    }
    await on.waitForTimeout(1_000);
  });
  const { long } = await on.evaluate<Watched>('window.watched');
  say('moved', `${DRAGS} drags and zooms, ${longTasks([long])}`);
  say('moved', ownWork([drawn]));
  return longestOf([drawn]);
}

async function watchDrawing(on: Page, work: () => Promise<void>): Promise<Drawn> {
  const session = await on.context().browser()!.newBrowserCDPSession();
  const spent = async (): Promise<number> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'GPU').reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
  };
  const before = await spent();
  const tasks = await pageTasks(on, work);
  const drawing = (await spent()) - before;
  await session.detach();
  return { tasks, drawing };
}

function longestOf(rounds: readonly Drawn[]): number {
  return Math.round(Math.max(...rounds.map(({ tasks }) => tasks.longestOwn)));
}

/** Tasks as they passed, those of each round apart, and how many of all are how long. */
function longTasks(rounds: readonly (readonly number[])[]): string {
  const all = rounds.flat().toSorted((a, b) => a - b);
  const over = all.filter((task) => task > LONG);
  const each = rounds.map((long) => `[${long.join(' ')}]`).join(' ');
  return `tasks over 50 ms: ${all.length}, median ${all[all.length >> 1] ?? 0} ms, over ${LONG} ms: ${over.length}, longest ${all.at(-1) ?? 0} ms: ${each}`;
}

/** Processor time in the median round: of the main thread of the page, and of drawing; and of the thread's longest task, in the worst. */
function ownWork(rounds: readonly Drawn[]): string {
  const middle = (of: (one: Drawn) => number): string => `${Math.round(median(rounds.map(of)))} ms`;
  return `processor time of the page's main thread: ${middle(({ tasks }) => tasks.own)}, its longest task ${longestOf(rounds)} ms; of drawing: ${middle(({ drawing }) => drawing)}`;
}

function say(what: string, text: string): void {
  console.log(`${what.padEnd(10)} ${text}`);
}
