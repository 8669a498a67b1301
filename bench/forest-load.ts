/**
 * Twenty forest lookups of 100 points at the same time, at once and as tasks, through the whole service on its embedded
 * database, in turn: points a second, processor time, how long a lone point next to them takes and how long `/healthz` takes meanwhile,
 * and the peak memory of the process tree. On a generated district, and on real embeddings where ../shared/data has them; next to
 * those the tuned Python stack on codes in its memory, without HTTP, growing by the same steps. Needs Linux.
 * Run: node bench/forest-load.ts [batches] [points]
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { utmProjection } from '../src/geo/crs/utm.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';
import { entryOf, writeForestDistrict } from '../test/end-to-end/forest-district.ts';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { SHARED_DATA } from '../test/shared-data.ts';
import { realRaster } from './mirrored-raster.ts';
import { memoryMb, processorMs, processTree } from './process-figures.ts';
import { type PeerAnswer, startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { type Cost, median, quantile, ROUNDS } from './rounds.ts';

const PROBE_EVERY_MS = 20;
/** As `Retry-After` says. */
const POLL_EVERY_MS = 2_000;
/** Lookups of the peer in a round, and how far from the point its windows reach. */
const PEER_POINTS = 60;
const REACH = 512;
const MODES = ['at once', 'as tasks'] as const;
const CORES = availableParallelism();
const batches = Number(process.argv[2] ?? 20);
const points = Number(process.argv[3] ?? 100);

interface Round {
  /** Of one point: the clock divided by all points, and processor time of the process tree. */
  readonly cost: Cost;
  /** Milliseconds of a lone point and of `/healthz` meanwhile. */
  readonly lone: readonly number[];
  readonly health: readonly number[];
}

const rows: BenchRow[] = [];
const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
try {
  const { catalogue } = await writeForestDistrict(folder);
  // The district is 2.56 km wide and begins at the central meridian of its zone.
  const district = placesIn(20, false, [500_000, 9_597_440, 502_560, 9_600_000]);
  rows.push(...(await measure('generated district, 6.6 km²', catalogue, district)));
  const real = join(SHARED_DATA, 'aef/wisconsin_west.tif');
  if (existsSync(real)) {
    const path = join(folder, 'real.json');
    await writeFile(path, JSON.stringify([{ ...entryOf('wisconsin', 'cog'), path: real, date: '2024' }]));
    const places = placesIn(16, true, [354_030, 4_901_230, 359_630, 4_911_010]);
    rows.unshift(...(await measure('real embeddings, 55 km²', path, places, await startPython())));
    saveResult('forest-load', rows);
  } else console.log('real embeddings: ../shared/data is not there');
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Random places of a box of a UTM zone, in metres. */
function placesIn(zone: number, north: boolean, [west, south, east, top]: readonly [number, number, number, number]) {
  const random = seededRandom(20_261_121);
  const projection = utmProjection(zone, north);
  const out = new Float64Array(2);
  return (): LonLat => {
    projection.toLonLat(west + random() * (east - west), south + random() * (top - south), out, 0);
    return [out[0] ?? 0, out[1] ?? 0];
  };
}

/** Both modes in turn on one service, whose first round warms it up. */
async function measure(name: string, catalogue: string, place: () => LonLat, python?: Python): Promise<BenchRow[]> {
  await using service = await runService({ env: { CATALOGUE: catalogue } });
  await lookUp(service, [place()]);
  const rounds: Record<(typeof MODES)[number], Round>[] = [];
  const theirs: Cost[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const places = Array.from({ length: PEER_POINTS }, place);
    rounds.push({
      'at once': await load(service, 'at once', place),
      'as tasks': await load(service, 'as tasks', place),
    });
    if (python !== undefined) theirs.push(await python.lookUp(places));
    console.log(name, JSON.stringify(MODES.map((mode) => rounds.at(-1)?.[mode].cost)), JSON.stringify(theirs.at(-1)));
  }
  python?.stop();
  const peakMb = processTree(service.pid).reduce((sum, pid) => sum + memoryMb(pid, 'VmHWM'), 0);
  return MODES.map((mode): BenchRow => {
    const own = rounds.slice(1).map((round) => round[mode]);
    const of = (costs: readonly Cost[], key: keyof Cost): number => median(costs.map((cost) => cost[key]));
    const costs = own.map(({ cost }) => cost);
    const [ms, cpuMs] = [of(costs, 'ms'), of(costs, 'cpuMs')];
    const at = (key: 'lone' | 'health', share: number): string =>
      quantile(
        own.flatMap((round) => round[key]),
        share,
      ).toFixed(0);
    const most = (CORES * 1000) / cpuMs;
    return {
      what: `${batches} requests of ${points} points at the same time, ${mode}, ${name}`,
      ours:
        `${count(1000 / ms)} points a second, ${cpuMs.toFixed(2)} ms of processor each; meanwhile \`/healthz\` p99 ${at('health', 0.99)} ms, ` +
        `a lone point p50 ${at('lone', 0.5)}, p99 ${at('lone', 0.99)} ms; peak of the process tree ${peakMb} MB`,
      ...(theirs.length > 0 && {
        peers: [
          {
            name: `numpy (int16), scipy, scikit-image and shapely on codes in memory, growing by the same steps, without HTTP, as if ${CORES} processes were ${CORES} times as fast as one`,
            strongest: true,
            times: of(theirs.slice(1), 'ms') / CORES / ms,
            processor: of(theirs.slice(1), 'cpuMs') / cpuMs,
          },
        ],
      }),
      goal: '`/healthz` p99 100 ms, 1.5 GB',
      limit: `${CORES} processors with nothing else on them, ${count(most)} points a second; reached: ${(100_000 / ms / most).toFixed(0)} %`,
    };
  });
}

async function load(service: RunningProcess, mode: (typeof MODES)[number], place: () => LonLat): Promise<Round> {
  const spent = (): number => processTree(service.pid).reduce((sum, pid) => sum + processorMs(pid), 0);
  const health = probe(() => service.fetch('/healthz').then((answer) => answer.arrayBuffer()));
  const lone = probe(() => lookUp(service, [place()]));
  const [before, begun] = [spent(), performance.now()];
  await Promise.all(
    Array.from({ length: batches }, async () => {
      const features = Array.from({ length: points }, place);
      return await (mode === 'at once' ? lookUp(service, features) : asTask(service, features));
    }),
  );
  const [cpuMs, ms] = [spent() - before, performance.now() - begun];
  const all = batches * points;
  return { cost: { ms: ms / all, cpuMs: cpuMs / all }, lone: await lone(), health: await health() };
}

interface Python {
  /** The mean cost of one place. */
  readonly lookUp: (places: readonly LonLat[]) => Promise<Cost>;
  readonly stop: () => void;
}

/** The peer cuts where its window fits, so near the edge it looks a little further in. */
async function startPython(): Promise<Python> {
  const { codes, width, height, transform, crs } = realRaster();
  const [, , west, , , north] = transform;
  const file = join(folder, 'codes.i8');
  await writeFile(file, codes);
  const peer = startPeer('tier2.py');
  await peer.send({ file, width, height, west, north });
  const projection = latticeProjection(crs);
  const size = Math.min(2 * REACH, 2 * Math.floor(Math.min(width, height) / 2));
  const inside = (at: number, side: number): number =>
    2 * Math.floor(Math.max(0, Math.min(side - size, at - size / 2)) / 2);
  return {
    async lookUp(places) {
      let [ms, cpuMs] = [0, 0];
      for (const [lon, lat] of places) {
        const out = new Float64Array(2);
        projection.toXY(lon, lat, out, 0);
        const [x, y] = [Math.floor((out[0] - west) / 10), Math.floor((north - out[1]) / 10)];
        const task = {
          patch: 1,
          x0: inside(x, width),
          y0: inside(y, height),
          size,
          x,
          y,
          h: DEFAULT_DEPTH,
          grow: true,
        };
        const answer = await peer.send<PeerAnswer>(task);
        ms += answer.ms;
        cpuMs += answer.cpuMs;
      }
      return { ms: ms / places.length, cpuMs: cpuMs / places.length };
    },
    stop: peer.stop,
  };
}

interface Answer {
  readonly features: readonly {
    readonly geometry: unknown;
    readonly properties: { readonly warnings: readonly { readonly code: string }[] };
  }[];
}

/** Looks points up and returns how many patches came. */
async function lookUp(service: RunningProcess, places: readonly LonLat[]): Promise<number> {
  return patchesOf(await post(service, places, ''));
}

async function asTask(service: RunningProcess, places: readonly LonLat[]): Promise<number> {
  const task = (await (await post(service, places, '?async_mode=true')).json()) as {
    poll_url: string;
    results_url: string;
  };
  for (;;) {
    const { status } = (await (await service.fetch(task.poll_url)).json()) as { status: string };
    if (status !== 'processing') return patchesOf(await service.fetch(task.results_url));
    await new Promise((done) => setTimeout(done, POLL_EVERY_MS));
  }
}

function post(service: RunningProcess, places: readonly LonLat[], query: string): Promise<Response> {
  const features = places.map((coordinates, id) => ({ type: 'Feature', id, geometry: { type: 'Point', coordinates } }));
  return service.fetch(`/forest_polygon/lookup${query}`, {
    method: 'POST',
    body: JSON.stringify({ features }),
    headers: { 'content-type': 'application/json' },
  });
}

async function patchesOf(response: Response): Promise<number> {
  const { features } = (await response.json()) as Answer;
  const failed = features.filter(({ properties }) =>
    properties.warnings.some(({ code }) => code === 'source_unavailable'),
  );
  if (failed.length > 0) throw new Error(`${failed.length} lookups failed: ${JSON.stringify(failed[0]?.properties)}`);
  return features.filter(({ geometry }) => geometry !== null).length;
}

/** Sends requests again and again; the returned function ends it and gives the milliseconds of each. */
function probe(send: () => Promise<unknown>): () => Promise<number[]> {
  const latencies: number[] = [];
  const state = { ended: false };
  const probing = (async () => {
    while (!state.ended) {
      const begun = performance.now();
      await send();
      latencies.push(performance.now() - begun);
      await new Promise((done) => setTimeout(done, PROBE_EVERY_MS));
    }
  })();
  return async () => {
    state.ended = true;
    await probing;
    return latencies;
  };
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
