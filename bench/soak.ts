/**
 * Whether a service grows under mixed load: requests of several kinds over loopback, without a pause, and once a minute its resident
 * memory and the heap of each thread (the least of the minute, which is nearest to what is live). At the end the slope of each over
 * the second half, in MB an hour; caches fill in the first. Needs Linux.
 * Run: node bin/build-program.js; node bench/soak.ts [minutes, default 60]
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { type BenchRow, saveResult } from './results.ts';

const minutes = Number(process.argv[2] ?? 60);
if (!(minutes > 0)) throw new Error(`wanted a number of minutes, got ${process.argv[2]}`);
const MINUTE_MS = 60_000;
/** Requests at a time. */
const CLIENTS = 4;
/** Facilities of one upload. */
const FACILITIES = 500;

interface Note {
  readonly thread: string;
  readonly at: number;
  readonly used: number;
  readonly external: number;
}

interface Row {
  readonly minute: number;
  /** In MB, by `resident` or the name of a thread. */
  readonly values: ReadonlyMap<string, number>;
}

const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-soak-'));
const notes = join(dataDir, 'heap-notes');
await writeFile(notes, '');
const hook = pathToFileURL(join(import.meta.dirname, 'soak-heap.ts')).href;
const env = { NODE_OPTIONS: `--import=${hook}`, HEAP_NOTES: notes };
try {
  await using service = await runService({ dataDir, firstStart: true, env });
  const until = performance.now() + minutes * MINUTE_MS;
  const rows: Row[] = [];
  const counts = new Map<string, number>();
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, (_, client) => sendUntil(service, until, client, counts)),
  );
  for (let minute = 1; minute <= minutes; minute++) {
    const since = Date.now();
    await new Promise((done) => setTimeout(done, MINUTE_MS));
    const row = { minute, values: await valuesOf(service.pid, since) };
    rows.push(row);
    console.log(`minute ${minute}: ${[...row.values].map(([name, mb]) => `${name} ${mb.toFixed(1)}`).join(', ')}`);
  }
  await clients;
  await service.stop();
  const sent = [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
  console.log(`${minutes} minutes, load ${loadavg()[0]?.toFixed(1)}; ${sent}`);
  const half = rows.slice(Math.floor(rows.length / 2));
  const found: BenchRow[] = [
    { what: `${minutes} minutes of mixed requests from ${CLIENTS} clients, embedded database`, ours: sent },
  ];
  for (const name of new Set(half.flatMap(({ values }) => [...values.keys()]))) {
    const points = half.flatMap(({ minute, values }) => (values.has(name) ? [[minute, values.get(name) ?? 0]] : []));
    if (points.length < 3) continue;
    const all = rows.flatMap(({ values }) => values.get(name) ?? []);
    const growth = `${(slope(points) * 60).toFixed(1)} MB an hour in the second half`;
    console.log(`${name.padEnd(24)} ${growth}`);
    found.push({
      what: name === 'resident' ? 'resident memory meanwhile' : `heap of the thread \`${name}\``,
      ours: `${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)} MB, at the end ${all.at(-1)?.toFixed(0)}; ${growth}`,
      goal: 'no growth',
    });
  }
  saveResult('soak', found, 1);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

async function sendUntil(service: RunningProcess, until: number, client: number, counts: Map<string, number>) {
  for (let i = client; performance.now() < until; i++) {
    const response = await send(service, i);
    await response.arrayBuffer();
    const name = `${response.status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
}

/** One of six kinds of requests at a place of its own, in the sample district and around it. */
function send(service: RunningProcess, i: number): Promise<Response> {
  const lon = 103.1747 + ((i * 7) % 200) / 10_000;
  const lat = 3.0772 + ((i * 13) % 200) / 10_000;
  const post = (path: string, body: unknown): Promise<Response> =>
    service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const checks = 'commodity_type=palm&check_water_access=true&check_port_proximity=true';
  if (i % 97 === 0) {
    const form = new FormData();
    form.append('file', new Blob([JSON.stringify(collection(lon, lat, FACILITIES))]), 'facilities.geojson');
    return service.fetch('/validate_facilities?commodity_type=palm', { method: 'POST', body: form });
  }
  if (i % 6 === 0) return post('/forest_polygon/lookup', collection(lon, lat, 1));
  if (i % 6 === 1) return service.fetch('/datasets');
  if (i % 6 === 2) return service.fetch('/healthz');
  if (i % 6 === 3) return service.fetch('/validate_facility?geometry=nothing&commodity_type=palm');
  return service.fetch(`/validate_facility?geometry=POINT(${lon}+${lat})&${checks}`);
}

function collection(lon: number, lat: number, count: number) {
  const features = Array.from({ length: count }, (_, i) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Point', coordinates: [lon + (i % 50) / 1_000, lat + Math.floor(i / 50) / 1_000] },
  }));
  return { type: 'FeatureCollection', features };
}

async function valuesOf(pid: number, since: number): Promise<ReadonlyMap<string, number>> {
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
  const values = new Map([['resident', resident]]);
  for (const line of (await readFile(notes, 'utf8')).trim().split('\n')) {
    const { thread, at, used, external } = JSON.parse(line) as Note;
    if (at >= since) values.set(thread, Math.min(values.get(thread) ?? Infinity, (used + external) / 1e6));
  }
  return values;
}

/** Of the line with the least squares. */
function slope(points: readonly (readonly number[])[]): number {
  const mean = (at: number): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}
