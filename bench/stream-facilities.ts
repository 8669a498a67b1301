/**
 * A large upload through the whole service: features a second, the peak memory of its process and how long `/healthz`
 * takes meanwhile, compared with plain `JSON.parse` of the same file. Run: node bench/stream-facilities.ts [features]
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { collectionText } from './facility-collection.ts';
import { saveResult } from './results.ts';

const PROBE_EVERY_MS = 20;
const PARSE =
  "const t=performance.now();const n=JSON.parse(require('fs').readFileSync(process.argv[1],'utf8')).features.length;console.log(JSON.stringify({n,ms:performance.now()-t,mb:process.resourceUsage().maxRSS/1024}))";

const count = Number(process.argv[2] ?? 200_000);
const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
try {
  const path = join(folder, 'facilities.geojson');
  await pipeline(Readable.from(collectionText(count)), createWriteStream(path));
  const megabytes = (await stat(path)).size / 1e6;
  await using service = await runService();
  await whenReady(service);
  const idle = memoryMb(service.pid, 'VmRSS');
  const probes = probeHealth(service);
  const begun = performance.now();
  const { features, bytes } = await upload(service, path);
  const seconds = (performance.now() - begun) / 1000;
  const latencies = await probes.stop();
  const parsed = JSON.parse(
    spawnSync(process.execPath, ['--max-old-space-size=8192', '-e', PARSE, path], { encoding: 'utf8' }).stdout,
  ) as { ms: number; mb: number };
  console.log(
    `${count} features, ${megabytes.toFixed(0)} MB up, ${(bytes / 1e6).toFixed(0)} MB down, ${features} results, Node ${process.version}`,
  );
  console.log(
    `service       ${rate(count, seconds)} features/s  ${seconds.toFixed(1)} s  peak ${memoryMb(service.pid, 'VmHWM')} MB (${idle} MB before)`,
  );
  console.log(
    `JSON.parse    ${rate(count, parsed.ms / 1000)} features/s  ${(parsed.ms / 1000).toFixed(1)} s  peak ${Math.round(parsed.mb)} MB`,
  );
  console.log(
    `the service takes ${(seconds / (parsed.ms / 1000)).toFixed(1)} times as long as JSON.parse alone, in ${(memoryMb(service.pid, 'VmHWM') / parsed.mb).toFixed(2)} of the memory`,
  );
  saveResult(
    'stream-facilities',
    [
      {
        what: `${count.toLocaleString('en')} polygons (${megabytes.toFixed(0)} MB) through HTTP, all checks that have data`,
        ours:
          `${rate(count, seconds).trim()} facilities/s; peak ${memoryMb(service.pid, 'VmHWM')} MB; /healthz meanwhile ` +
          `p50 ${quantile(latencies, 0.5)}, p99 ${quantile(latencies, 0.99)} ms`,
        peers: [{ name: '`JSON.parse` of the file alone', times: parsed.ms / 1000 / seconds }],
        goal: '8,000/s; p99 under 50 ms; under 250 MB',
      },
    ],
    1,
  );
  console.log(
    `/healthz meanwhile: p50 ${quantile(latencies, 0.5)} ms, p99 ${quantile(latencies, 0.99)} ms, longest ${quantile(latencies, 1)} ms of ${latencies.length}`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function upload(service: RunningProcess, path: string): Promise<{ features: number; bytes: number }> {
  const form = new FormData();
  form.set('commodity_type', 'palm');
  form.set('check_water_access', 'true');
  form.set('check_port_proximity', 'true');
  form.set('file', await openAsBlob(path), 'facilities.geojson');
  const response = await service.fetch('/validate_facilities', {
    method: 'POST',
    body: form,
    headers: { accept: 'application/x-ndjson' },
  });
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  let lines = 0;
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines++;
  }
  return { features: lines - 1, bytes };
}

function probeHealth(service: RunningProcess): { stop(): Promise<number[]> } {
  const latencies: number[] = [];
  const stop = new AbortController();
  const loop = (async () => {
    while (!stop.signal.aborted) {
      const begun = performance.now();
      await (await fetch(`${service.url}/healthz`)).text();
      latencies.push(performance.now() - begun);
      await new Promise((done) => setTimeout(done, PROBE_EVERY_MS));
    }
  })();
  return {
    async stop() {
      stop.abort();
      await loop;
      return latencies.sort((a, b) => a - b);
    },
  };
}

/** Until the data is packed and the task runner is there. */
async function whenReady(service: RunningProcess): Promise<void> {
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 200));
}

function memoryMb(pid: number, field: string): number {
  const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}

function quantile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

function rate(features: number, seconds: number): string {
  return Math.round(features / seconds)
    .toLocaleString('en')
    .padStart(8);
}
