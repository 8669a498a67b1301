/**
 * Sends each hostile file in the size that was seen to do harm, several at once, and requests /healthz and for a single
 * point of another user meanwhile. Prints what they took, compared with a control without any file. Senders and service
 * share the processors, so latencies are the scheduler's too; `own ms` is the longest that the serving thread computed
 * without a pause, in processor time, which other work on the machine does not change. One run: each file has a service of its own.
 *
 *   node bench/hostile-files.ts [scale 1] [at once 4]
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { HOSTILE_FILES } from '../test/hostile-files.ts';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { type BenchRow, saveResult } from './results.ts';
import { quantile } from './rounds.ts';

const [scale = 1, atOnce = 4] = process.argv.slice(2).map(Number);
const LOOP_PROBE = new URL('../test/end-to-end/loop-probe.fixture.ts', import.meta.url);
const PAUSE_MS = 20;
const POINT = '/validate_facility?geometry=POINT(101.5%200.25)';

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

async function measure(name: string, work: (service: RunningProcess) => Promise<readonly number[]>): Promise<BenchRow> {
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
  const ms = (times: readonly number[], share: number): string => quantile(times, share).toFixed(0);
  const row: BenchRow = {
    what: name,
    ours:
      `\`/healthz\` p50 ${ms(health, 0.5)}, p99 ${ms(health, 0.99)} ms, one point of another user p99 ${ms(points, 0.99)} ms, ` +
      `the serving thread without a pause ${Number(readFileSync(longest, 'utf8')).toFixed(0)} ms of processor; peak ${rss.toFixed(0)} MB; ` +
      `${((performance.now() - from) / 1000).toFixed(1)} s${statuses.length === 0 ? '' : `, status ${[...new Set(statuses)].join(' ')}`}`,
    goal: 'p99 100 ms, 800 MB',
  };
  console.log(row.what, row.ours);
  rmSync(folder, { recursive: true });
  return row;
}

if (!isMainThread) await probe(workerData as { url: string; token: string });
else await main();

async function main(): Promise<void> {
  const rows = [
    await measure('no file', async () => {
      await sleep(5_000);
      return [];
    }),
  ];
  for (const { name, endpoint, make } of HOSTILE_FILES) {
    const file = make(scale);
    const what = `${name}, ${(file.length / 1e6).toFixed(1)} MB, ${atOnce} at the same time`;
    rows.push(
      await measure(what, (service) =>
        Promise.all(Array.from({ length: atOnce }, () => send(service, endpoint, file))),
      ),
    );
  }
  saveResult('hostile-files', rows, 1);
}
