import { runService } from '../test/end-to-end/run-service.ts';

/*
 * How long one user's small requests take while another user's heavy files are at work, compared with an idle service.
 *
 *   node bench/fairness.ts [rows of each heavy file 200000] [rounds 15]
 *
 * The heavy user sends two files of locations to be validated, and one more of each as soon as it is answered. The other
 * user sends, in turn, one point to /validate_facility, a file of one row (read by the HTTP thread), a file of 20,000 rows
 * (read by a worker thread) and one forest point. Prints median and longest in milliseconds.
 */
const [rows = 200_000, rounds = 15] = process.argv.slice(2).map(Number);
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

async function send(user: string, path: string, file: Blob): Promise<void> {
  const form = new FormData();
  form.set('file', file, 'places.csv');
  await read(await fetch(`${service.url}${path}`, { method: 'POST', body: form, headers: as(user) }));
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

async function measure(): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(Object.keys(LIGHT).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, request] of Object.entries(LIGHT)) {
      const begun = performance.now();
      await request();
      times.get(name)!.push(performance.now() - begun);
    }
  return times;
}

await measure();
const idle = await measure();
const over = new AbortController();
const heavies = [1, 2].map(async () => {
  while (!over.signal.aborted) await send('heavy', '/validate_locations', heavy);
});
const busy = await measure();
over.abort();
await Promise.all(heavies);

console.log(
  `${'request of the other user'.padEnd(28)}${['idle', 'longest', 'busy', 'longest'].map((w) => w.padStart(9)).join('')}`,
);
for (const [name, times] of idle) {
  const cells = [times, busy.get(name)!].flatMap((list) => [median(list), Math.max(...list)]);
  console.log(name.padEnd(28) + cells.map((ms) => ms.toFixed(0).padStart(9)).join(''));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
