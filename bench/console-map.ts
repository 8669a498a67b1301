/**
 * The map of the console in Chromium: how long until it is there and until all of it is drawn, from afar and close by, and what that and
 * dragging and zooming it take of the processor, the page and the process that draws apart. With a checkout of an older version its console
 * takes turns too. At the end, once and apart, since a trace takes time of its own: the processor time of the longest tasks.
 * Run: console-map.ts [FOLDER of another checkout, built] [zoom/latitude/longitude] [data folder]; without one, the sample district.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { openBrowser as OpenBrowser, ConsoleWindow } from '../test/console/browser.ts';
import type { runService as RunService } from '../test/end-to-end/run-service.ts';
import { pageTasks, processorOf } from './page-tasks.ts';
import { type BenchRow, type PeerRatio, saveResult } from './results.ts';
import { type Cost, Costs, median, ROUNDS } from './rounds.ts';

const [before, near = '14/4.59/102.6', dataDir] = process.argv.slice(2);
const HERE = join(import.meta.dirname, '..');
const DRAGS = 6;

/** Notes when the map is made and when all of it is drawn for the first time. */
const WATCH = `
  window.watched = { there: null, drawn: null };
  new MutationObserver(() => {
    const map = document.querySelector('.map-canvas');
    if (map?.dataset.state === 'ready') window.watched.there ??= performance.now();
    if (map?.dataset.idle !== undefined) window.watched.drawn ??= performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true });`;

type Kind = 'world' | 'near' | 'moved';

/** What one round costs; processor time is that of the page and of drawing. */
interface Drawn extends Cost {
  readonly there: number;
  readonly drawing: number;
}

interface Contender extends AsyncDisposable {
  readonly name: string;
  readonly window: ConsoleWindow;
}

const PLACES = { world: '1.6/8/20', near } as const;
const KINDS: Readonly<Record<Kind, { readonly what: string; readonly goal?: string }>> = {
  world: { what: 'the map of the world, until all of it is drawn', goal: 'under 1 s' },
  near: { what: 'the map of a town, until all of it is drawn', goal: 'under 1 s' },
  moved: { what: `${DRAGS} drags and zooms, each until all is drawn` },
};

await using ours = await openContender('ours', HERE);
await using older = before === undefined ? null : await openContender('before', before);
const contenders = older === null ? [ours] : [ours, older];
const costs = new Costs();
const rounds = new Map<string, Drawn[]>();
for (let round = 0; round <= ROUNDS; round++) {
  costs.begin();
  for (const kind of ['world', 'near', 'moved'] as const)
    for (const { name, window } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const drawn = await run(kind, window);
      console.log(name.padEnd(7), kind.padEnd(6), JSON.stringify(drawn));
      costs.add(`${kind} ${name}`, drawn);
      if (round > 0) rounds.set(`${kind} ${name}`, [...(rounds.get(`${kind} ${name}`) ?? []), drawn]);
    }
}
const longest: Partial<Record<Kind, number>> = {};
for (const kind of ['world', 'near', 'moved'] as const)
  longest[kind] = (await pageTasks(ours.window.page, async () => void (await show(kind, ours.window)))).longestOwn;
saveResult('console-map', (['world', 'near', 'moved'] as const).map(rowOf));

function rowOf(kind: Kind): BenchRow {
  const own = costs.median(`${kind} ours`);
  const of = (key: keyof Drawn): number => median((rounds.get(`${kind} ours`) ?? []).map((one) => one[key]));
  const peers: PeerRatio[] =
    older === null ? [] : [{ name: 'this service before', ...costs.ratio(`${kind} before`, `${kind} ours`) }];
  const there = kind === 'moved' ? '' : ` (the map is there after ${of('there').toFixed(0)})`;
  return {
    what: KINDS[kind].what,
    ours:
      `${own.ms.toFixed(0)} ms${there}; ${own.cpuMs.toFixed(0)} ms of processor, ${of('drawing').toFixed(0)} of them drawing; ` +
      `the longest task of the page has ${longest[kind]?.toFixed(0)} ms of processor, one run`,
    ...(KINDS[kind].goal !== undefined && { goal: `${KINDS[kind].goal}; no task over 100 ms` }),
    ...(peers.length > 0 && { peers }),
  };
}

async function run(kind: Kind, window: ConsoleWindow): Promise<Drawn> {
  if (kind !== 'moved') await window.page.goto('about:blank');
  let passed = 0;
  const spent = await processorOf(window.page, async () => void (passed = await show(kind, window)));
  const { there, drawn } = await window.page.evaluate<Record<'there' | 'drawn', number>>('window.watched');
  return {
    ms: kind === 'moved' ? passed : drawn,
    cpuMs: spent.page + spent.drawing,
    there,
    drawing: spent.drawing,
  };
}

/** Milliseconds until all is drawn. */
async function show(kind: Kind, window: ConsoleWindow): Promise<number> {
  const begun = performance.now();
  if (kind === 'moved') await move(window);
  else {
    await window.go(`/console/forest?map=${PLACES[kind]}`);
    await window.mapIdle();
  }
  return performance.now() - begun;
}

/** Drags the map in turn to all sides and zooms it. */
async function move({ page, mapIdle }: ConsoleWindow): Promise<void> {
  const box = (await page.locator('.maplibregl-canvas').boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (let i = 0; i < DRAGS; i++) {
    const [dx, dy] = [220 * Math.cos(i), 160 * Math.sin(i)];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx, y + dy, { steps: 12 });
    await page.mouse.up();
    await page.mouse.wheel(0, i % 2 === 0 ? -240 : 240);
    await mapIdle();
  }
}

/** The service and the console of a checkout, in a browser of its own. */
async function openContender(name: string, root: string): Promise<Contender> {
  const load = <M>(path: string): Promise<M> => import(pathToFileURL(join(root, path)).href) as Promise<M>;
  const { runService } = await load<{ runService: typeof RunService }>('test/end-to-end/run-service.ts');
  const { openBrowser } = await load<{ openBrowser: typeof OpenBrowser }>('test/console/browser.ts');
  const service = await runService(dataDir === undefined ? {} : { dataDir });
  const browser = await openBrowser(service.url, { maps: true });
  const window = await browser.open();
  window.page.setDefaultTimeout(180_000);
  await window.page.addInitScript({ content: WATCH });
  await window.go('/console/forest');
  await window.signIn(service.token);
  return {
    name,
    window,
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await browser[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
