/**
 * A forest lookup through HTTP in a place whose embeddings are in memory, one after the other over one connection: at new places of
 * ground that lookups have been at, and at the same places again. With a checkout of an older version its service takes turns
 * too. Next to them the tuned Python stack on codes in its memory, without HTTP, growing by the same steps.
 * Run: node bench/forest-request.ts [FOLDER of another checkout, built]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Pool } from 'undici';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { entryOf } from '../test/end-to-end/forest-district.ts';
import type { RunningProcess, RunOptions } from '../test/end-to-end/run-service.ts';
import { SHARED_DATA } from '../test/shared-data.ts';
import { realRaster } from './mirrored-raster.ts';
import { type PeerAnswer, startPeer } from './python-peer.ts';
import { explained } from './read-profile.ts';
import { type BenchProfile, type BenchRow, saveResult } from './results.ts';
import { type Cost, median, ms, quantile, ROUNDS } from './rounds.ts';

/** Lookups a round. */
const LOOKUPS = 60;
/** Lookups all over the raster, so that nothing of it has to be read or decoded. */
const WARM_UP = 700;
const PROFILED = 2500;
/** Windows of the peer reach so far. */
const REACH = 512;
const HERE = join(import.meta.dirname, '..');
const raster = realRaster();
const [, , WEST, , , NORTH] = raster.transform;
const random = seededRandom(29);

/** A pixel of the raster. */
type Pixel = readonly [x: number, y: number];

interface Contender extends AsyncDisposable {
  readonly name: string;
  lookUp(place: Pixel): Promise<void>;
  /** Milliseconds of processor that the process has had. */
  cpuMs(): number;
  stop(): Promise<unknown>;
}

/** By the kind of lookup, then by who did it: the times of all lookups, and the cost of one in each round. */
const times = new Map<string, number[]>();
const rounds = new Map<string, Cost[]>();
const folder = mkdtempSync(join(tmpdir(), 'bench-forest-request-'));
const catalogue = join(folder, 'catalogue.json');
const file = join(SHARED_DATA, 'aef/wisconsin_west.tif');
writeFileSync(catalogue, JSON.stringify([{ ...entryOf('wisconsin', 'cog'), path: file, date: '2024' }]));
const peer = startPeer('tier2.py');
try {
  await compare(process.argv[2]);
} finally {
  peer.stop();
  rmSync(folder, { recursive: true });
}

async function compare(before: string | undefined): Promise<void> {
  await using ours = await openService('ours', HERE);
  await using older = before === undefined ? null : await openService('before', before);
  const all = older === null ? [ours] : [ours, older];
  const codes = join(folder, 'codes.i8');
  writeFileSync(codes, raster.codes);
  await peer.send({ file: codes, width: raster.width, height: raster.height, west: WEST, north: NORTH });
  for (const one of all) await warmUp(one);
  for (let round = 0; round <= ROUNDS; round++) {
    const places = Array.from({ length: LOOKUPS }, anywhere);
    for (const kind of ['new', 'again']) {
      for (const one of all) await measure(one, kind, places, round > 0);
    }
    await measurePeer(places, round > 0);
  }
  const rows = (['new', 'again'] as const).map((kind) => rowOf(kind, older !== null));
  for (const row of rows) console.log(JSON.stringify(row));
  saveResult('forest-request', rows);
  const profiles: BenchProfile[] = [];
  for (const [name, root] of [
    ['before', before],
    ['now', HERE],
  ] as const)
    if (root !== undefined)
      profiles.push({ what: `forest thread, lookups at new places, ${name}`, entries: await profileOf(root) });
  saveResult('forest-request', rows, ROUNDS, profiles);
}

function anywhere(): Pixel {
  return [Math.floor(random() * raster.width), Math.floor(random() * raster.height)];
}

async function warmUp(one: Contender): Promise<void> {
  for (let i = 0; i < WARM_UP; i++) await one.lookUp(anywhere());
}

async function measure(one: Contender, kind: string, places: readonly Pixel[], counts: boolean): Promise<void> {
  const [cpuMs, begun] = [one.cpuMs(), performance.now()];
  const latencies: number[] = [];
  for (const place of places) {
    const start = performance.now();
    await one.lookUp(place);
    latencies.push(performance.now() - start);
  }
  const cost = { ms: (performance.now() - begun) / LOOKUPS, cpuMs: (one.cpuMs() - cpuMs) / LOOKUPS };
  if (counts) record(`${kind} ${one.name}`, latencies, cost);
}

/** The peer cuts where its window fits, so near the edge it looks a little further in. */
async function measurePeer(places: readonly Pixel[], counts: boolean): Promise<void> {
  const latencies: number[] = [];
  let [msSum, cpuSum] = [0, 0];
  for (const [x, y] of places) {
    const size = Math.min(2 * REACH, 2 * Math.floor(Math.min(raster.width, raster.height) / 2));
    const inside = (at: number, side: number): number =>
      2 * Math.floor(Math.max(0, Math.min(side - size, at - size / 2)) / 2);
    const [x0, y0] = [inside(x, raster.width), inside(y, raster.height)];
    const task = { patch: 1, x0, y0, size, x, y, h: DEFAULT_DEPTH, grow: true };
    const answer = await peer.send<PeerAnswer>(task);
    latencies.push(answer.ms);
    msSum += answer.ms;
    cpuSum += answer.cpuMs;
  }
  if (counts) record('Python', latencies, { ms: msSum / LOOKUPS, cpuMs: cpuSum / LOOKUPS });
}

function record(name: string, latencies: readonly number[], cost: Cost): void {
  times.set(name, [...(times.get(name) ?? []), ...latencies]);
  rounds.set(name, [...(rounds.get(name) ?? []), cost]);
}

function rowOf(kind: 'new' | 'again', hasOlder: boolean): BenchRow {
  const p50 = (name: string): number => quantile(times.get(name) ?? [], 0.5);
  const cpu = (name: string): number => median((rounds.get(name) ?? []).map(({ cpuMs }) => cpuMs));
  const own = `${kind} ours`;
  const ratio = (name: string) => ({ times: p50(name) / p50(own), processor: cpu(name) / cpu(own) });
  const where = kind === 'new' ? 'at a new place of ground that was looked at' : 'at the same place again';
  return {
    what: `one forest lookup through HTTP ${where}, one connection`,
    ours: `p50 ${ms(p50(own))}, p99 ${ms(quantile(times.get(own) ?? [], 0.99))} ms; ${ms(cpu(own))} ms of processor in all threads`,
    peers: [
      ...(hasOlder ? [{ name: 'this service before', ...ratio(`${kind} before`) }] : []),
      {
        name: 'numpy (int16), scipy, scikit-image and shapely on codes in memory, growing by the same steps, without HTTP',
        strongest: true,
        ...ratio('Python'),
      },
    ],
    goal: 'p50 under 4 ms',
    limit:
      'one request, two messages between threads, and the cut of the segment, which takes some 0.4 ms of the profile below',
  };
}

function profileOf(root: string): Promise<BenchProfile['entries']> {
  return explained(async (env) => {
    const service = await openService('profiled', root, env);
    for (let i = 0; i < PROFILED; i++) await service.lookUp(anywhere());
    await service.stop();
  }, 'busiest worker');
}

async function openService(name: string, root: string, env: Readonly<Record<string, string>> = {}): Promise<Contender> {
  const path = pathToFileURL(join(root, 'test/end-to-end/run-service.ts')).href;
  const { runService } = (await import(path)) as { runService: (options: RunOptions) => Promise<RunningProcess> };
  const running = await runService({ database: 'embedded', env: { CATALOGUE: catalogue, ...env } });
  const pool = new Pool(running.url, { connections: 1 });
  const headers = { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' };
  const projection = latticeProjection(raster.crs);
  return {
    name,
    async lookUp([x, y]) {
      const degrees = new Float64Array(2);
      projection.toLonLat(WEST + 10 * (x + 0.5), NORTH - 10 * (y + 0.5), degrees, 0);
      const feature = { type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [...degrees] } };
      const body = JSON.stringify({ features: [feature] });
      const answer = await pool.request({ method: 'POST', path: '/forest_polygon/lookup', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || text.includes('source_unavailable')) throw new Error(text);
    },
    cpuMs() {
      const fields = readFileSync(`/proc/${running.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return 10 * (Number(fields[11]) + Number(fields[12]));
    },
    async stop() {
      await pool.close();
      return running.stop();
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
      await running[Symbol.asyncDispose]();
    },
  };
}
