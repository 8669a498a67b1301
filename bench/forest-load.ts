/**
 * Twenty forest lookups of 100 points at the same time, at once and as tasks, through the whole service on its embedded
 * database: points a second, how long a batch and a lone point next to it take, how long `/healthz` takes meanwhile, and the
 * peak memory of the process tree. On a generated district, and on real embeddings where ../shared/data has them.
 * Run: node bench/forest-load.ts [batches] [points]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utmProjection } from '../src/geo/crs/utm.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';
import { entryOf, writeForestDistrict } from '../test/end-to-end/forest-district.ts';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { SHARED_DATA } from '../test/shared-data.ts';

const PROBE_EVERY_MS = 20;
/** As `Retry-After` says. */
const POLL_EVERY_MS = 2_000;
const batches = Number(process.argv[2] ?? 20);
const points = Number(process.argv[3] ?? 100);

const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
try {
  const { catalogue } = await writeForestDistrict(folder);
  // The district is 2.56 km wide and begins at the central meridian of its zone.
  await measure(
    'generated district, 6.6 km2',
    catalogue,
    placesIn(20, false, [500_000, 9_597_440, 502_560, 9_600_000]),
  );
  const real = join(SHARED_DATA, 'aef/wisconsin_west.tif');
  if (existsSync(real)) {
    const path = join(folder, 'real.json');
    await writeFile(path, JSON.stringify([{ ...entryOf('wisconsin', 'cog'), path: real, date: '2024' }]));
    await measure('real embeddings, 55 km2', path, placesIn(16, true, [354_030, 4_901_230, 359_630, 4_911_010]));
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

async function measure(name: string, catalogue: string, place: () => LonLat): Promise<void> {
  await using service = await runService({ env: { CATALOGUE: catalogue } });
  await lookUp(service, [place()]);
  const idle = treeMb(service.pid, 'VmRSS');
  console.log(`\n${name}: ${batches} batches of ${points} points, Node ${process.version}, ${idle} MB before`);
  for (const mode of ['at once', 'as tasks'] as const) {
    const health = probe(() => service.fetch('/healthz').then((answer) => answer.arrayBuffer()));
    const lone = probe(() => lookUp(service, [place()]));
    const begun = performance.now();
    const took = await Promise.all(
      Array.from({ length: batches }, async () => {
        const features = Array.from({ length: points }, place);
        const patches = await (mode === 'at once' ? lookUp(service, features) : asTask(service, features));
        return { ms: performance.now() - begun, patches };
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    const [alone, probes] = [await lone(), await health()];
    const found = took.reduce((sum, { patches }) => sum + patches, 0);
    const times = took.map(({ ms }) => ms).toSorted((a, b) => a - b);
    console.log(
      `${mode.padEnd(9)} ${Math.round((batches * points) / seconds)} points/s, ${found} patches; batch p50 ${quantile(times, 0.5)} ms, longest ${quantile(times, 1)} ms`,
    );
    console.log(
      `          a lone point meanwhile: p50 ${quantile(alone, 0.5)} ms, p99 ${quantile(alone, 0.99)} ms of ${alone.length}`,
    );
    console.log(
      `          /healthz meanwhile:     p50 ${quantile(probes, 0.5)} ms, p99 ${quantile(probes, 0.99)} ms of ${probes.length}`,
    );
    console.log(`          peak of the process tree so far: ${treeMb(service.pid, 'VmHWM')} MB`);
  }
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

/** Sends requests again and again; the returned function ends it and gives the milliseconds of each, sorted. */
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
    return latencies.toSorted((a, b) => a - b);
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10;
}

/** A line of `/proc/PID/status` in MB, summed over the process and its children. */
function treeMb(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const own = Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
  return Math.round(own / 1024) + children.reduce((sum, child) => sum + treeMb(child, line), 0);
}
