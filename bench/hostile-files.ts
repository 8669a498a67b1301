import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { HOSTILE_FILES } from '../test/hostile-files.ts';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';

/*
 * Sends each hostile file in the size that was seen to do harm, several at once, and requests /healthz and for a single
 * point of another user meanwhile. Prints what they took, compared with a control without any file. Senders and service
 * share the processors, so latencies are the scheduler's too; `own ms` is the longest that the serving thread computed
 * without a pause, in processor time, which other work on the machine does not change.
 *
 *   node bench/hostile-files.ts [scale 8] [at once 8]
 */
const [scale = 8, atOnce = 8] = process.argv.slice(2).map(Number);
const LOOP_PROBE = new URL('../test/end-to-end/loop-probe.fixture.ts', import.meta.url);
const PAUSE_MS = 20;
const POINT = '/validate_facility?geometry=POINT(101.5%200.25)';

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
}

/** Sends requests in a thread of its own, so that the sender of large files does not hold it up; milliseconds of each request. */
async function meanwhile(service: RunningProcess, path: string, work: Promise<unknown>): Promise<number[]> {
  const probe = new Worker(new URL(import.meta.url), { workerData: { url: service.url + path, token: service.token } });
  await work;
  probe.postMessage('stop', []);
  const [times] = (await once(probe, 'message')) as [number[]];
  return times;
}

async function probe({ url, token }: { url: string; token: string }): Promise<void> {
  const times: number[] = [];
  const over = new AbortController();
  parentPort!.once('message', () => over.abort());
  while (!over.signal.aborted) {
    const from = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - from);
    await sleep(PAUSE_MS);
  }
  parentPort!.postMessage(times, []);
}

async function send(service: RunningProcess, endpoint: string, file: Uint8Array): Promise<number> {
  const form = new FormData();
  form.set('file', new Blob([file as Uint8Array<ArrayBuffer>]), 'file');
  const response = await service.fetch(endpoint, { method: 'POST', body: form });
  for await (const _ of response.body ?? []) continue;
  return response.status;
}

async function measure(name: string, work: (service: RunningProcess) => Promise<readonly number[]>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'firstmile-bench-'));
  const longest = join(folder, 'longest');
  await using service = await runService({
    env: { NODE_OPTIONS: `--import ${LOOP_PROBE.href}`, PROBE_FILE: longest },
  });
  await (await service.fetch(POINT)).arrayBuffer();
  // What starting took is no file's doing.
  process.kill(service.pid, 'SIGUSR2');
  await sleep(PAUSE_MS);
  const from = performance.now();
  const working = work(service);
  const [health, points, statuses] = await Promise.all([
    meanwhile(service, '/healthz', working),
    meanwhile(service, POINT, working),
    working,
  ]);
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  const rss = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000;
  const cells = [
    name.padEnd(48),
    [...new Set(statuses)].join(' ').padStart(10),
    ((performance.now() - from) / 1000).toFixed(1).padStart(10),
    quantile(health, 0.5).padStart(10),
    quantile(health, 0.99).padStart(10),
    quantile(points, 0.99).padStart(10),
    rss.toFixed(0).padStart(10),
    Number(readFileSync(longest, 'utf8')).toFixed(0).padStart(10),
  ];
  console.log(cells.join(''));
  rmSync(folder, { recursive: true });
}

if (!isMainThread) await probe(workerData as { url: string; token: string });
else await main();

async function main(): Promise<void> {
  const heads = ['status', 's', 'p50 ms', 'p99 ms', 'point p99', 'RSS MB', 'own ms'];
  console.log(`${`${atOnce} at once, scale ${scale}`.padEnd(48)}${heads.map((head) => head.padStart(10)).join('')}`);
  await measure('no file', async () => {
    await sleep(5_000);
    return [];
  });
  for (const { name, endpoint, make } of HOSTILE_FILES) {
    const file = make(scale);
    await measure(`${name} (${(file.length / 1e6).toFixed(1)} MB)`, (service) =>
      Promise.all(Array.from({ length: atOnce }, () => send(service, endpoint, file))),
    );
  }
}
