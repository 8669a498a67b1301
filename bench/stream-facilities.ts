/**
 * A large upload through the whole service: facilities a second with every thread and with one, the peak memory of the process,
 * and how long single places take meanwhile, compared with the same while nothing is uploaded. Both take turns.
 * Run: node bench/stream-facilities.ts [features] [FOLDER of another checkout, whose profile is taken too]
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { collectionText } from './facility-collection.ts';
import { forgetPeak, memoryMb, processorMs } from './process-figures.ts';
import { explained } from './read-profile.ts';
import { type BenchProfile, saveResult } from './results.ts';
import { median, quantile, ROUNDS } from './rounds.ts';

const PROBE_EVERY_MS = 20;
const IDLE_MS = 2_000;
const PARSE =
  "const t=performance.now();const n=JSON.parse(require('fs').readFileSync(process.argv[1],'utf8')).features.length;console.log(JSON.stringify({n,ms:performance.now()-t,mb:process.resourceUsage().maxRSS/1024}))";
/** What is requested meanwhile. */
const PLACE = '/validate_facility?geometry=POINT(101.4478%200.5071)&commodity_type=palm&check_water_access=true';

interface Contender {
  readonly name: string;
  readonly service: RunningProcess;
  readonly rounds: Round[];
}

interface Round {
  readonly rate: number;
  /** Microseconds of processor for a facility, and those of them in the thread that serves requests. */
  readonly processor: number;
  readonly serving: number;
  readonly peakMb: number;
  readonly idle: readonly number[];
  readonly meanwhile: readonly number[];
}

const count = Number(process.argv[2] ?? 200_000);
const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
try {
  const path = join(folder, 'facilities.geojson');
  await pipeline(Readable.from(collectionText(count)), createWriteStream(path));
  const megabytes = (await stat(path)).size / 1e6;
  await using all = await runService({ database: 'embedded' });
  await using one = await runService({ database: 'embedded', env: { FILE_HELPERS: '0' } });
  const contenders: Contender[] = [
    { name: 'all threads', service: all, rounds: [] },
    { name: 'one thread', service: one, rounds: [] },
  ];
  for (const { service } of contenders) await whenReady(service);
  const parses: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contender of contenders) {
      const measured = await measure(contender.service, path);
      if (round > 0) contender.rounds.push(measured);
      console.log(contender.name.padEnd(12), inWords(measured));
    }
    parses.push(Number((JSON.parse(run(path)) as { ms: number }).ms));
  }
  report(contenders, median(parses.slice(1)), megabytes, await profiles(path));
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Of an upload, all threads together. */
async function profiles(path: string): Promise<BenchProfile[]> {
  const all: BenchProfile[] = [];
  const before = process.argv[3];
  const trees = { ...(before !== undefined && { before }), now: join(import.meta.dirname, '..') };
  for (const [when, tree] of Object.entries(trees)) {
    const from = pathToFileURL(join(tree, 'test/end-to-end/run-service.ts')).href;
    const { runService: run } = (await import(from)) as { runService: typeof runService };
    const entries = await explained(async (env) => {
      const service = await run({ database: 'embedded', env });
      await whenReady(service);
      await upload(service, path);
      await service.stop();
    }, 'all');
    all.push({ what: `upload of ${count.toLocaleString('en')} polygons, all threads, ${when}`, entries });
  }
  return all;
}

function report(
  [ours, single]: readonly Contender[],
  parseMs: number,
  megabytes: number,
  kept: readonly BenchProfile[],
): void {
  const of = ({ rounds }: Contender, key: 'rate' | 'processor' | 'serving' | 'peakMb'): number =>
    median(rounds.map((round) => round[key]));
  const at = ({ rounds }: Contender, key: 'idle' | 'meanwhile', share: number): number =>
    quantile(
      rounds.flatMap((round) => round[key]),
      share,
    );
  const [idle, busy] = [at(ours, 'idle', 0.5), at(ours, 'meanwhile', 0.5)];
  const own = of(ours, 'processor');
  saveResult(
    'stream-facilities',
    [
      {
        what: `file of ${count.toLocaleString('en')} polygons (${megabytes.toFixed(0)} MB) through HTTP, all checks that have data`,
        ours:
          `${Math.round(of(ours, 'rate')).toLocaleString('en')} facilities a second, ${own.toFixed(0)} µs of processor each, ` +
          `${of(ours, 'serving').toFixed(0)} of them in the thread that serves requests; peak ${of(ours, 'peakMb').toFixed(0)} MB`,
        peers: [
          {
            name: 'the same service with `FILE_HELPERS=0`',
            strongest: true,
            times: of(ours, 'rate') / of(single, 'rate'),
            processor: of(single, 'processor') / own,
          },
          { name: '`JSON.parse` of the file, no more', times: (parseMs / 1000 / count) * of(ours, 'rate') },
        ],
        goal: '8,000 a second on two processors, 250 MB',
        limit: `two processors with nothing else on them, ${Math.round(2e6 / own).toLocaleString('en')} a second; reached: ${Math.round((100 * of(ours, 'rate') * own) / 2e6)} %`,
      },
      {
        what: 'one place meanwhile, requested every 20 ms',
        ours: `p50 ${busy.toFixed(1)}, p99 ${at(ours, 'meanwhile', 0.99).toFixed(1)} ms; without the upload ${idle.toFixed(1)} and ${at(ours, 'idle', 0.99).toFixed(1)} ms`,
        peers: [{ name: 'the same with `FILE_HELPERS=0`', times: at(single, 'meanwhile', 0.5) / busy }],
        goal: '1.5 times the p50 without it; p99 under 50 ms',
      },
    ],
    ROUNDS,
    kept,
  );
}

async function measure(service: RunningProcess, path: string): Promise<Round> {
  const quiet = probe(service);
  await new Promise((done) => setTimeout(done, IDLE_MS));
  const idle = await quiet.stop();
  forgetPeak(service.pid);
  const busy = probe(service);
  const place = `${service.pid}/task/${service.pid}`;
  const [all, serving] = [processorMs(service.pid), processorMs(place)];
  const begun = performance.now();
  const features = await upload(service, path);
  const seconds = (performance.now() - begun) / 1000;
  if (features !== count) throw new Error(`wanted ${count} results, got ${features}`);
  return {
    rate: count / seconds,
    processor: ((processorMs(service.pid) - all) * 1e3) / count,
    serving: ((processorMs(place) - serving) * 1e3) / count,
    peakMb: memoryMb(service.pid, 'VmHWM'),
    idle,
    meanwhile: await busy.stop(),
  };
}

function inWords({ rate, processor, serving, peakMb, idle, meanwhile }: Round): string {
  const ms = (values: readonly number[], share: number): string => quantile(values, share).toFixed(1);
  return (
    `${rate.toFixed(0)} a second, ${processor.toFixed(0)} us each, ${serving.toFixed(0)} in the serving thread, peak ${peakMb} MB; ` +
    `one place p50 ${ms(meanwhile, 0.5)} p99 ${ms(meanwhile, 0.99)} ms, before ${ms(idle, 0.5)} and ${ms(idle, 0.99)}`
  );
}

function run(path: string): string {
  return spawnSync(process.execPath, ['--max-old-space-size=8192', '-e', PARSE, path], { encoding: 'utf8' }).stdout;
}

/** The number of results. */
async function upload(service: RunningProcess, path: string): Promise<number> {
  const form = new FormData();
  form.set('commodity_type', 'palm');
  form.set('check_water_access', 'true');
  form.set('check_port_proximity', 'true');
  form.set('file', await openAsBlob(path), 'facilities.geojson');
  const response = await service.fetch('/validate_facilities', {
    method: 'POST',
    body: form,
    // As it is: compressing for a client on the same machine would be most of the work.
    headers: { accept: 'application/x-ndjson', 'accept-encoding': 'identity' },
  });
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  let lines = 0;
  for await (const chunk of response.body)
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  return lines - 1;
}

function probe(service: RunningProcess): { stop(): Promise<number[]> } {
  const latencies: number[] = [];
  const stop = new AbortController();
  const loop = (async () => {
    while (!stop.signal.aborted) {
      const begun = performance.now();
      await (await service.fetch(PLACE)).text();
      latencies.push(performance.now() - begun);
      await new Promise((done) => setTimeout(done, PROBE_EVERY_MS));
    }
  })();
  return {
    async stop() {
      stop.abort();
      await loop;
      return latencies;
    },
  };
}

/** Until the data is packed and the task runner is there. */
async function whenReady(service: RunningProcess): Promise<void> {
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 200));
}
