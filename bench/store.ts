/**
 * `node bench/store.ts`: start, memory, commits and tasks of the store on each engine, in turn, each round in a process of its own on
 * a new database; commits next to SQLite (`node:sqlite`, flushed at each commit) and to a prepared statement of `pg`, of the same row.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Client } from 'pg';
import { createLog } from '../src/log.ts';
import { openStore } from '../src/db/open-store.ts';
import { openTasks } from '../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../src/jobs/start-task-runner.ts';
import { testEngines } from '../test/contracts/engines.ts';
import { type BenchRow, saveResult } from './results.ts';
import { costOf, type Cost, median, ROUNDS } from './rounds.ts';

const log = createLog({ level: 'error', json: true });
const COMMITS = 1_000;
const TASKS = 50;
const INPUT_BYTES = 20_000_000;
/** What a commit writes to a log at least. */
const PAGE_BYTES = 8_192;
const NAMES: Readonly<Record<string, string>> = { embedded: 'embedded', postgres: 'PostgreSQL' };

interface Measured {
  readonly openMs: number;
  readonly idleMb: number;
  readonly peakMb: number;
  /** Milliseconds for `COMMITS`, and of the peer, and to flush as many pages to the disk. */
  readonly commits: Cost;
  readonly peer: Cost;
  readonly flushMs: number;
  readonly tasksPerSecond: number;
  readonly echoMbPerSecond: number;
  readonly longestMs: number;
}

const [dataDir, databaseUrl] = process.argv.slice(2);
if (dataDir === undefined) await runAll();
else console.log(JSON.stringify(await measure(dataDir, databaseUrl === '' ? null : (databaseUrl ?? null))));

async function runAll(): Promise<void> {
  const engines = testEngines().filter(({ skip }) => skip === false);
  const rounds = new Map<string, Measured[]>(engines.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const engine of engines) {
      const database = await engine.create();
      const args = [fileURLToPath(import.meta.url), database.dataDir, database.databaseUrl ?? ''];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (stderr !== '') console.error(stderr);
      const measured = JSON.parse(stdout) as Measured;
      console.log(engine.name.padEnd(9), stdout.trim());
      if (round > 0) rounds.get(engine.name)?.push(measured);
      await database.drop();
    }
  saveResult(
    'store',
    [...rounds].flatMap(([engine, all]) => rowsOf(engine, all)),
  );
}

function rowsOf(engine: string, all: readonly Measured[]): BenchRow[] {
  const of = (get: (one: Measured) => number): number => median(all.map(get));
  const perSecond = (ms: number): string => Math.round((COMMITS / ms) * 1_000).toLocaleString('en');
  const [own, ownCpu] = [of(({ commits }) => commits.ms), of(({ commits }) => commits.cpuMs)];
  const name = engine === 'embedded' ? 'SQLite in the same process' : '`pg` alone, a prepared statement';
  return [
    {
      what: `durable commits a second, one after the other, ${NAMES[engine]}`,
      ours: `${perSecond(own)}, ${((ownCpu / COMMITS) * 1_000).toFixed(0)} µs of processor in this process each`,
      peers: [
        {
          name,
          strongest: true,
          times: of(({ peer }) => peer.ms) / own,
          processor: of(({ peer }) => peer.cpuMs) / ownCpu,
        },
      ],
      limit: `flushing a page of ${PAGE_BYTES / 1_024} kB to the disk, ${perSecond(of(({ flushMs }) => flushMs))} a second`,
    },
    {
      what: `store of ${NAMES[engine]}: opening; tasks of two threads; files through a task`,
      ours:
        `${of(({ openMs }) => openMs).toFixed(0)} ms, ${of(({ idleMb }) => idleMb)} MB, ${of(({ peakMb }) => peakMb)} MB at most; ` +
        `${of((one) => one.tasksPerSecond).toFixed(0)} a second; ${of((one) => one.echoMbPerSecond).toFixed(0)} MB a second, ` +
        `the serving thread held for ${of(({ longestMs }) => longestMs).toFixed(0)} ms at most`,
    },
  ];
}

async function measure(dataDir: string, databaseUrl: string | null): Promise<Measured> {
  const started = performance.now();
  const store = await openStore({ dataDir, databaseUrl, poolSize: 10, log });
  const { tasks, queue } = await openTasks(store, { maxQueued: 1_000, retentionDays: 1 });
  const openMs = performance.now() - started;
  const idleMb = rss();
  const user = await store.credentials.addUser(`${randomBytes(8).toString('hex')}@example.org`, null);
  const addToken = () =>
    store.credentials.addToken({
      userId: user.id,
      label: '',
      scopes: ['validate'],
      hash: randomBytes(32),
      expiresAt: null,
    });
  const [commits] = await costOf(async () => {
    for (let index = 0; index < COMMITS; index++) await addToken();
  });
  const peer = databaseUrl === null ? await sqliteCommits(dataDir, user.id) : await pgCommits(databaseUrl, user.id);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const runner = startTaskRunner({
    queue,
    kinds: ['echo'],
    concurrency: 2,
    threadEntry: new URL('../test/contracts/task-thread.fixture.ts', import.meta.url),
    threadData: null,
    maxRuntimeS: 600,
    log,
  });
  delay.enable();
  const finish = async (id: string): Promise<void> => {
    while ((await tasks.get(user.id, id))?.status === 'processing')
      await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const submit = (input: AsyncIterable<Uint8Array> | null) =>
    tasks.submit({ kind: 'echo', userId: user.id, params: null, input, idempotency: null });
  const tasksPerSecond = await rate(TASKS, async () => {
    const made = await Promise.all(Array.from({ length: TASKS }, () => submit(null)));
    await Promise.all(made.map(({ id }) => finish(id)));
  });
  const echoMbPerSecond = await rate(INPUT_BYTES / 1e6, async () => finish((await submit(bytes(INPUT_BYTES))).id));
  delay.disable();
  const result = {
    openMs,
    idleMb,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1_000),
    commits,
    peer,
    flushMs: await flushPages(dataDir),
    tasksPerSecond,
    echoMbPerSecond,
    longestMs: delay.max / 1e6,
  };
  await runner.stop(0);
  await store.close();
  return result;
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return count / ((performance.now() - started) / 1_000);
}

/** The same row, in SQLite that flushes its log at each commit as the embedded database does. */
async function sqliteCommits(folder: string, user: string): Promise<Cost> {
  const database = new DatabaseSync(join(folder, 'peer.sqlite'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table tokens (id integer primary key, user_id text, label text, scopes text, hash blob unique, expires_at text)`);
  const insert = database.prepare('insert into tokens (user_id, label, scopes, hash) values (?, ?, ?, ?) returning *');
  const [cost] = await costOf(() => {
    for (let i = 0; i < COMMITS; i++) insert.get(user, '', '["validate"]', randomBytes(32));
  });
  database.close();
  return cost;
}

/** The same row in the same table, without a pool, a query builder or `begin` and `commit` of their own. */
async function pgCommits(url: string, user: string): Promise<Cost> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const text = 'insert into tokens (user_id, label, scopes, hash) values ($1, $2, $3, $4) returning *';
  const [cost] = await costOf(async () => {
    for (let i = 0; i < COMMITS; i++)
      await client.query({ name: 'add', text, values: [user, '', '["validate"]', randomBytes(32)] });
  });
  await client.end();
  return cost;
}

/** Milliseconds to append `COMMITS` pages to a file, each flushed. */
async function flushPages(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, 'flushed'), 'w');
  const page = randomBytes(PAGE_BYTES);
  const [{ ms }] = await costOf(() => {
    for (let i = 0; i < COMMITS; i++) {
      writeSync(file, page);
      fdatasyncSync(file);
    }
  });
  closeSync(file);
  return ms;
}

function rss(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

async function* bytes(length: number): AsyncIterable<Uint8Array> {
  for (let sent = 0; sent < length; sent += 65_536) yield randomBytes(Math.min(65_536, length - sent));
}
