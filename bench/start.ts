/**
 * What a start costs, from the beginning of the process to the line with its address: on an empty data folder (database
 * creation included), on the same folder again as built by `npm ci`, from the sources, as after a change of one of them, and with
 * PostgreSQL; and what commands cost next to a service that runs. Processor time of all threads, resident memory three seconds
 * after the first answer, modules loaded, threads included. Medians; the kinds take turns.
 * Needs Linux. Run: node bin/build-program.js; node bench/start.ts
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryFlags, memorySettings } from '../bin/memory-flags.js';
import { testEngines, type TestDatabase } from '../test/contracts/engines.ts';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { memoryMb, processorMs } from './process-figures.ts';
import { type PeerRatio, saveResult } from './results.ts';
import { median, ROUNDS } from './rounds.ts';

const PLACE = 'POINT(103.1747 3.0772)';
const QUERY = `/validate_facility?geometry=${encodeURIComponent(PLACE)}&commodity_type=palm&check_water_access=true&check_port_proximity=true`;
const SETTLED_MS = 3_000;
const BIN = join(import.meta.dirname, '../bin/firstmile.js');
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'forest lookup': [BIN, 'forest', 'lookup', '103.1747', '3.0772'],
  'validate -': [BIN, 'validate', '-', '--commodity', 'palm'],
  '--version': [BIN, '--version'],
  'bare Node': ['-e', '0'],
};
const DATABASE_ALONE = join(import.meta.dirname, 'database-alone.ts');
/** As src/db/embedded/engine-thread.ts has them. */
const DATABASE_BUFFERS = ['shared_buffers=4MB', 'wal_buffers=1MB'];

/** What `validate` reads from standard input. */
const FACILITIES = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      id: 1,
      properties: { name: 'Mill' },
      geometry: { type: 'Point', coordinates: [103.1747, 3.0772] },
    },
  ],
});
/** Also 1, where a facility is invalid, and 3, where there is no forest. */
const EXIT_CODES: readonly (number | null)[] = [0, 1, 3];

type Kind = 'empty' | 'existing' | 'sources' | 'postgres';

interface Start {
  readonly processor: number;
  /** Milliseconds to the line with the address, and to the first answer. */
  readonly listening: number;
  readonly answered: number;
  readonly residentMb: number;
  readonly modules: number;
}

const starts: Record<Kind, Start[]> = { empty: [], existing: [], sources: [], postgres: [] };
/** Milliseconds of processor of each command. */
const commands = new Map<string, number[]>(Object.keys(COMMANDS).map((name) => [name, []]));
/** Resident memory of the embedded database and nothing else, with the settings that the service has, and without. */
const alone: Record<'ours' | 'defaults', number[]> = { ours: [], defaults: [] };
const postgres = testEngines().find(({ name, skip }) => name === 'postgres' && skip === false);
for (let round = 0; round <= ROUNDS; round++) {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-start-'));
  const server = await postgres?.create();
  try {
    await start('empty', dataDir, {});
    await start('existing', dataDir, {});
    await start('sources', dataDir, { RUN_SOURCES: 'on' });
    if (server !== undefined) await start('postgres', dataDir, settingsOf(server));
    openAlone(join(dataDir, 'alone'));
  } finally {
    await server?.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
report();

async function start(kind: Kind, dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const begun = performance.now();
  await using service = await runService({ dataDir, firstStart: true, env });
  const processor = processorMs(service.pid);
  const response = await service.fetch(QUERY);
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
  const answered = performance.now() - begun;
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  const residentMb = memoryMb(service.pid, 'VmRSS');
  if (kind === 'existing') runCommands(service);
  await service.stop();
  const listening = service.startMs;
  starts[kind].push({ processor, listening, answered, residentMb, modules: await modulesOf(dataDir, env) });
  console.log(kind.padEnd(9), JSON.stringify(starts[kind].at(-1)));
}

/** Counted from the second time on, as the first one makes the folder. */
function openAlone(folder: string): void {
  const memoryOf = (flags: readonly string[], env: object, parameters: readonly string[]): number => {
    const args = [...flags, DATABASE_ALONE, folder, String(SETTLED_MS), ...parameters];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } }));
  };
  memoryOf([], {}, []);
  alone.defaults.push(memoryOf([], {}, []));
  alone.ours.push(memoryOf(memoryFlags(process.versions.node), memorySettings, DATABASE_BUFFERS));
}

function settingsOf({ databaseUrl }: TestDatabase): Readonly<Record<string, string>> {
  return { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: `bench:${Buffer.alloc(32, 7).toString('base64')}` };
}

function runCommands({ settings, token }: RunningProcess): void {
  const timed = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null 2> /dev/null';
  for (const [name, args] of Object.entries(COMMANDS)) {
    const env = { ...process.env, ...settings, FIRSTMILE_TOKEN: token };
    const shell = ['-c', timed, 'bash', process.execPath, ...args];
    const { status, stderr } = spawnSync('bash', shell, { encoding: 'utf8', env, input: FACILITIES });
    if (!EXIT_CODES.includes(status)) throw new Error(`${name} ended with ${status}`);
    const [user, system] = stderr.trim().split(' ').map(Number);
    commands.get(name)?.push((user + system) * 1_000);
  }
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

function report(): void {
  const of = (kind: Kind, key: keyof Start): number => median(starts[kind].slice(1).map((one) => one[key]));
  const s = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
  const cost = (kind: Kind, key: 'listening' | 'answered'): string =>
    `${s(of(kind, key))}, ${s(of(kind, 'processor'))} of processor until it listens`;
  const command = (name: string): number => median((commands.get(name) ?? []).slice(1));
  const node = command('bare Node');
  const fromSources: PeerRatio = {
    name: 'the same from the sources',
    times: of('sources', 'listening') / of('existing', 'listening'),
    processor: of('sources', 'processor') / of('existing', 'processor'),
  };
  const startOfNode = `starting Node, ${s(node)} of processor`;
  const aloneMb = (how: keyof typeof alone): number => median(alone[how].slice(1));
  const engineAlone: PeerRatio = {
    name: 'PGlite alone, as it comes: its memory / ours',
    times: aloneMb('defaults') / of('existing', 'residentMb'),
  };
  const resident = (kind: Kind): string => `${of(kind, 'residentMb')} MB`;
  saveResult('start', [
    {
      what: 'process start to listening, empty data folder, prepared database unpacked',
      ours: cost('empty', 'listening'),
      goal: '2.5 s',
    },
    {
      what: 'the same to the first answered validation with water and ports',
      ours: cost('empty', 'answered'),
      goal: '10 s',
    },
    {
      what: 'process start to listening, existing folder',
      ours: cost('existing', 'listening'),
      peers: [fromSources],
      goal: '1.5 s, 1 s of processor',
      limit: startOfNode,
    },
    ...(postgres === undefined
      ? []
      : [
          {
            what: 'process start to listening, with PostgreSQL',
            ours: cost('postgres', 'listening'),
            goal: '1.5 s, 1 s of processor',
            limit: startOfNode,
          },
        ]),
    {
      what: `resident memory ${SETTLED_MS / 1_000} s after the first answer, existing folder`,
      ours: `${resident('existing')}; empty folder ${resident('empty')}`,
      peers: [engineAlone],
      goal: '160 MB',
      limit: `Node and the embedded database alone with our settings, ${aloneMb('ours')} MB`,
    },
    ...(postgres === undefined
      ? []
      : [
          {
            what: 'the same with PostgreSQL',
            ours: resident('postgres'),
            goal: '160 MB',
          },
        ]),
    {
      what: 'modules loaded, threads and those of Node included',
      ours: `${of('existing', 'modules')}, from the sources ${of('sources', 'modules').toLocaleString('en')}`,
    },
    {
      what: 'commands next to a running service: processor time',
      ours: Object.keys(COMMANDS)
        .slice(0, -1)
        .map((name) => `\`${name}\` ${s(command(name))}`)
        .join(', '),
      limit: startOfNode,
    },
  ]);
}
