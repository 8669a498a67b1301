/**
 * How long one user's small requests take while another user's heavy files are at work, compared with an idle service, in turn.
 *
 *   node bench/fairness.ts [rows of each heavy file 100000]
 *
 * The heavy user sends two files of locations to be validated, and one more of each as soon as it is answered. The other
 * user sends, in turn, one point to /validate_facility, a file of one row (read by the HTTP thread), a file of 20,000 rows
 * (read by a worker thread) and one forest point. Heavy requests are broken off at the end of each round. Latencies alone: what the same
 * requests cost is measured elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runService } from '../test/end-to-end/run-service.ts';
import { saveResult } from './results.ts';
import { median, ROUNDS } from './rounds.ts';

const [rows = 100_000] = process.argv.slice(2).map(Number);
/** Requests of each kind in a round. */
const TIMES = 3;
const SETTLE_MS = 1_000;
const GOALS: Readonly<Record<string, string>> = {
  'one point': '2 s',
  'a file of one row': '2 s',
  'one forest point': '2 s',
};
const KEY = 'internal-key-for-the-fairness-bench';
const HEADER = 'name,latitude,longitude,country\n';

await using service = await runService({ env: { INTERNAL_API_KEY: KEY } });
const as = (user: string) => ({ 'x-internal-api-key': KEY, 'x-user-id': user });

function fileOf(count: number): Blob {
  const lines = Array.from(
    { length: count },
    (_, i) => `Mill ${i},${4 + (i % 1_000) / 1_000},${101 + (i % 777) / 777},MY`,
  );
  return new Blob([HEADER, lines.join('\n')]);
}

async function send(user: string, path: string, file: Blob, signal?: AbortSignal): Promise<void> {
  const form = new FormData();
  form.set('file', file, 'places.csv');
  const own = signal === undefined ? {} : { signal };
  await read(await fetch(`${service.url}${path}`, { method: 'POST', body: form, headers: as(user), ...own }));
}

async function read(response: Response): Promise<void> {
  for await (const _ of response.body ?? []) continue;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
}

const [one, many, heavy] = [fileOf(1), fileOf(20_000), fileOf(rows)];
const POINT = { type: 'Feature', geometry: { type: 'Point', coordinates: [102.61, 4.6] }, properties: {} };
const LIGHT: Readonly<Record<string, () => Promise<void>>> = {
  'one point': async () =>
    read(await fetch(`${service.url}/validate_facility?geometry=POINT(102.61%204.6)`, { headers: as('light') })),
  'a file of one row': () => send('light', '/validate_locations', one),
  'a file of 20,000 rows': () => send('light', '/normalize_locations', many),
  'one forest point': async () =>
    read(
      await fetch(`${service.url}/forest_polygon/lookup`, {
        method: 'POST',
        headers: { ...as('light'), 'content-type': 'application/json' },
        body: JSON.stringify({ features: [POINT] }),
      }),
    ),
};

/** Milliseconds of all requests of each kind, by round. */
type Times = Map<string, number[][]>;
const [idle, busy]: Times[] = [new Map(), new Map()];
for (let round = 0; round <= ROUNDS; round++) {
  await measure(idle);
  const over = new AbortController();
  const heavies = [1, 2].map(async () => {
    while (!over.signal.aborted) await send('heavy', '/validate_locations', heavy, over.signal);
  });
  await sleep(SETTLE_MS);
  await measure(busy);
  over.abort();
  await Promise.allSettled(heavies);
  await sleep(SETTLE_MS);
}
saveResult(
  'fairness',
  Object.keys(LIGHT).map((name) => ({
    what: `${name} of a user next to two files of ${rows.toLocaleString('en')} rows of another that are validated without end`,
    ours: `${inWords(busy, name)}; while nothing else is at work ${inWords(idle, name)}`,
    ...(GOALS[name] !== undefined && { goal: GOALS[name] }),
  })),
);

async function measure(times: Times): Promise<void> {
  for (const [name, request] of Object.entries(LIGHT)) {
    const each: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const begun = performance.now();
      await request();
      each.push(performance.now() - begun);
    }
    times.set(name, [...(times.get(name) ?? []), each]);
    console.log(name.padEnd(24), each.map((ms) => ms.toFixed(0)).join(' '));
  }
}

function inWords(times: Times, name: string): string {
  const rounds = (times.get(name) ?? []).slice(1);
  return `${median(rounds.map(median)).toFixed(0)} ms, the longest ${Math.max(...rounds.flat()).toFixed(0)}`;
}
