/**
 * What a start costs, from the beginning of the process to the line with its address: on an empty data folder (database
 * creation included), on the same folder again as built by `npm ci`, and from the sources, as after a change of one of them.
 * Processor time of all threads, resident memory three seconds later, modules loaded, threads included. Medians; the kinds take turns.
 * Needs Linux. Run: node bin/build-program.js; node bench/start.ts [rounds]
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runService } from '../test/end-to-end/run-service.ts';

const QUERY =
  '/validate_facility?geometry=POINT(103.1747+3.0772)&commodity_type=palm&check_water_access=true&check_port_proximity=true';
const SETTLED_MS = 3_000;
const TICKS_PER_SECOND = 100;

const FROM_SOURCES = { RUN_SOURCES: 'on' };
const rounds = Number(process.argv[2] ?? 5);
const measures = new Map<string, Record<string, number>[]>();
for (let round = 0; round < rounds; round++) {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-start-'));
  try {
    await measure('empty folder', dataDir, {});
    await measure('existing folder', dataDir, {});
    await measure('existing folder, from sources', dataDir, FROM_SOURCES);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
console.log(`${rounds} rounds, load ${loadavg()[0]?.toFixed(1)}`);
for (const [name, runs] of measures)
  console.log(
    `${name.padEnd(30)} ${Object.keys(runs[0] ?? {})
      .map(
        (key) =>
          `${key} ${median(runs.map((run) => run[key] ?? Number.NaN)).toFixed(key.startsWith('seconds') ? 2 : 0)}`,
      )
      .join(', ')}`,
  );

async function measure(name: string, dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const begun = performance.now();
  await using service = await runService({ dataDir, firstStart: true, env });
  const processorSeconds = processorTime(service.pid);
  const response = await service.fetch(QUERY);
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
  const answered = (performance.now() - begun) / 1_000;
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1_024;
  await service.stop();
  const values = {
    'seconds of processor': processorSeconds,
    'seconds to address': service.startMs / 1_000,
    'seconds to first answer': answered,
    'resident MB': resident,
    modules: await modulesOf(dataDir, env),
  };
  measures.set(name, [...(measures.get(name) ?? []), values]);
}

/** Seconds in user and system mode, of a process with all its threads. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Counted in a start of its own, since counting takes time. */
async function modulesOf(dataDir: string, env: Readonly<Record<string, string>>): Promise<number> {
  const noted = join(dataDir, 'loaded');
  await writeFile(noted, '');
  const hook = pathToFileURL(join(import.meta.dirname, '../test/end-to-end/note-loaded.fixture.ts')).href;
  const loaded = { LOADED_MODULES: noted, NODE_OPTIONS: `--import=${hook}` };
  await using service = await runService({ dataDir, firstStart: true, env: { ...env, ...loaded } });
  await service.stop();
  return (await readFile(noted, 'utf8')).split('\n').length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
