import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createCollectionReader } from '../src/db/collections/read-collections.ts';
import { openStore, type Store } from '../src/db/open-store.ts';
import { createLog } from '../src/log.ts';
import { testEngines } from '../test/contracts/engines.ts';
import { writeDistrictPlots } from './district-plots.ts';
import { runService, type RunningProcess } from '../test/end-to-end/run-service.ts';
import { saveResult } from './results.ts';
import { median } from './rounds.ts';

/*
 * One collection over several worker processes on PostgreSQL.
 *
 *   node bench/fan-out.ts [plots 80000] [worker processes of each run 1,2,1,2,1,2] [kill,small,pin,machine]
 *
 * Made-up plots over the made-up district: seven of ten are polygons of 5 to 12 corners, the others points with an area. Each run
 * processes the same file on a database of its own with statistics and validation, one task at a time in each worker. Prints
 * seconds from the submission to the end, and how many of them until the file was cut; the locations in parts that were prepared by then;
 * processor time of all workers and of their sessions in the database for a plot; the most memory that one of them took, in the
 * second quarter and at the end of the work; a digest of all records, and what is lost or there twice. At the end the median
 * seconds of each number of workers, and how many times as fast as one worker that is. With `kill` each worker in
 * turn is killed with SIGKILL while the parts are worked on, and another is started in its place. With `small` another user sends
 * 100 plots, and 100 more when they are done: how long the slowest of them took and the middle one, from submission to end. With
 * `pin` each worker keeps to a core of its own together with its sessions in the database, so that N workers and their part of
 * the database have N cores, as far as there are as many; the database's own processes (log, checkpoints, vacuum), the service, which is idle meanwhile,
 * and this bench have all cores, so one worker has them done on a core that it does not use. With `machine` they have the same N cores
 * as well: a machine of one core next to one of two. Linux only, by a user who may move the processes of the database. Without either one
 * worker uses more than a core: its sessions run on another. What is kept is of runs with `machine`, three of each number of workers, each
 * of which takes a minute.
 */
const [plots = '80000', runs = '1,2,1,2,1,2', ...words] = process.argv.slice(2);
const extras = new Set(words.flatMap((word) => word.split(',')));
const isPinned = extras.has('pin') || extras.has('machine');
const count = Number(plots);
const log = createLog({ level: 'error', json: true });
/** Of the machine, however few of them this process keeps to later. */
const CORES = availableParallelism();
const LOOK_MS = 500;
/** Ticks of a second in /proc. */
const TICKS = 100;
const KEY = 'internal-key-for-the-fan-out-bench';
const SMALL = 100;

const postgres = (await testEngines()).find(({ name, skip }) => name === 'postgres' && skip === false);
if (postgres === undefined) throw new Error('this measures PostgreSQL, and no server answers');
const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
try {
  const file = join(folder, 'made-up-plots.geojson');
  await writeDistrictPlots(file, count);
  await writeDistrictPlots(`${file}.small`, SMALL);
  const rows: Row[] = [];
  for (const workers of runs.split(',').map(Number)) rows.push(await measure(file, workers));
  console.log(`${CORES} cores of ${cpus()[0]?.model}, Node ${process.versions.node}`);
  console.table(rows);
  const one = medianOf(rows, 1);
  for (const workers of new Set(rows.map((row) => row.workers))) {
    const seconds = medianOf(rows, workers);
    const on = isPinned ? `on ${Math.min(workers, CORES)} of the cores with their sessions` : 'on all cores';
    console.log(`${workers} workers ${on}: ${seconds} s, ${(one / seconds).toFixed(2)} times as fast as one`);
  }
  if (extras.has('machine') && Number.isFinite(one)) keep(rows, one);
} finally {
  if (extras.has('machine')) await confine(CORES);
  await rm(folder, { recursive: true, force: true });
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly workers: number;
  readonly seconds: number;
  readonly wrong: number;
  readonly events: number;
  readonly digest: string;
}

function keep(rows: readonly Row[], one: number): void {
  const several = [...new Set(rows.map(({ workers }) => workers))].filter((workers) => workers > 1);
  const isSame = new Set(rows.map(({ digest }) => digest)).size === 1;
  const figure = (workers: number, name: string): number =>
    median(rows.filter((row) => row.workers === workers).map((row) => Number(row[name])));
  const rounds = rows.filter(({ workers }) => workers === 1).length;
  saveResult(
    'fan-out',
    several.map((workers) => ({
      what:
        `${count.toLocaleString('en')} made-up plots, validated, measured and all compared with each other, ${workers} workers on ${Math.min(workers, CORES)} ` +
        `cores with the database, the service and what sends them`,
      ours:
        `${medianOf(rows, workers)} s, ${figure(workers, 'cpu ms a plot')} ms of processor of the workers a plot and ${figure(workers, 'of the database')} of the database; ` +
        `a worker has at most ${figure(workers, 'MB most')} MB; ${Math.max(...rows.map(({ wrong }) => wrong))} lost or there twice, ` +
        `${rows[0].events} event, ${isSame ? 'the same records' : 'OTHER RECORDS'}`,
      peers: [
        {
          name: 'one worker on one core with all of the same',
          times: one / medianOf(rows, workers),
          processor: figure(1, 'cpu ms a plot') / figure(workers, 'cpu ms a plot'),
        },
      ],
      goal: `${(0.9 * workers).toFixed(1)} times`,
      limit: `${workers} times one worker`,
    })),
    rounds,
  );
}

function medianOf(rows: readonly Row[], workers: number): number {
  const seconds = rows.filter((row) => row.workers === workers).map((row) => row.seconds);
  return seconds.toSorted((a, b) => a - b)[seconds.length >> 1] ?? NaN;
}

interface Watched {
  readonly process: RunningProcess;
  readonly cpuAtStart: number;
  readonly memoryMb: number[];
}

async function measure(file: string, workers: number): Promise<Row> {
  if (extras.has('machine')) await confine(Math.min(workers, CORES));
  const database = await postgres!.create();
  const { databaseUrl } = database;
  const store = await openStore({ dataDir: database.dataDir, databaseUrl, poolSize: 2, log });
  const env = { DATABASE_URL: databaseUrl!, TASK_CONCURRENCY: '1', MAX_UPLOAD_MB: '4000', MAX_COLLECTION_MB: '4000' };
  const start = async (place: number): Promise<Watched> => {
    // By this name the sessions of the worker are found in the database.
    const named = new URL(databaseUrl!);
    named.searchParams.set('application_name', `worker ${place}`);
    const started = await runService({ env: { ...env, DATABASE_URL: named.href }, command: 'worker' });
    if (isPinned) pin(started.pid, place);
    return { process: started, cpuAtStart: await cpuMs(started.pid), memoryMb: [] };
  };
  const service = await runService({
    env: { ...env, RUN_TASKS: 'off', STORED_MB_PER_USER: '100000', INTERNAL_API_KEY: KEY },
  });
  const running = await Promise.all(Array.from({ length: workers }, (_, place) => start(place)));
  const ended: Watched[] = [];
  let spentMs = 0;
  const sessions = new Map<number, number>();
  let prepared = 0;
  try {
    const id = await submit(service, file, 'large');
    const over = new AbortController();
    const smallS = extras.has('small') ? followSmall(service, store, `${file}.small`, over.signal) : null;
    const begun = performance.now();
    const loadBefore = loadavg()[0]!;
    let cutAt: number | null = null;
    let kills = 0;
    for (;;) {
      const { status, left, total, done } = await stateOf(store, id);
      if (status !== 'processing') {
        if (status !== 'completed') throw new Error(`the batch ended as ${status}`);
        break;
      }
      if (left !== null) cutAt ??= performance.now();
      if (cutAt === null) prepared = await countPrepared(store);
      await noteSessions(store, sessions);
      for (const { process: worker, memoryMb } of running) memoryMb.push(await memoryOf(worker.pid));
      // Each worker in turn, as the parts go by.
      if (extras.has('kill') && total !== null && kills < workers && done > (total * (kills + 1)) / (workers + 2)) {
        const victim = running[kills]!;
        spentMs += (await cpuMs(victim.process.pid)) - victim.cpuAtStart;
        await victim.process.stop('SIGKILL');
        ended.push(victim);
        running[kills] = await start(kills);
        kills++;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    const seconds = (performance.now() - begun) / 1_000;
    over.abort();
    const smalls = smallS === null ? [] : (await smallS).toSorted((a, b) => a - b);
    const slowest =
      smallS === null ? {} : { '100: slowest, median s': `${smalls.at(-1)} ${smalls[smalls.length >> 1]}` };
    const databaseMs = sessions.values().reduce((sum, ms) => sum + ms, 0);
    for (const { process: worker, cpuAtStart } of running) spentMs += (await cpuMs(worker.pid)) - cpuAtStart;
    const memory = [...running, ...ended].map(({ memoryMb }) => memoryMb).filter((list) => list.length > 8);
    return {
      plots: count,
      workers,
      seconds: Number(seconds.toFixed(1)),
      'cut s': cutAt === null ? null : Number(((cutAt - begun) / 1_000).toFixed(1)),
      prepared,
      'cpu ms a plot': Number((spentMs / count).toFixed(3)),
      'of the database': Number((databaseMs / count).toFixed(3)),
      'MB most': Math.round(Math.max(...memory.flat())),
      'MB at 1/4, end': memory
        .map((list) => `${Math.round(list[list.length >> 2]!)} ${Math.round(list.at(-1)!)}`)
        .join(', '),
      kills,
      ...slowest,
      ...(await read(store, id)),
      load: `${loadBefore.toFixed(1)} ${loadavg()[0]!.toFixed(1)}`,
      PostgreSQL: await versionOf(store),
    };
  } finally {
    for (const { process: worker } of running) await worker[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await store.close();
    await database.drop();
  }
}

/** Seconds that each small collection of another user took, one after the other. */
async function followSmall(service: RunningProcess, store: Store, file: string, over: AbortSignal): Promise<number[]> {
  const seconds: number[] = [];
  while (!over.aborted) {
    const begun = performance.now();
    const id = await submit(service, file, 'small');
    while ((await stateOf(store, id)).status === 'processing') await new Promise((resolve) => setTimeout(resolve, 100));
    seconds.push(Number(((performance.now() - begun) / 1_000).toFixed(1)));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  return seconds;
}

async function submit(service: RunningProcess, file: string, user: string): Promise<string> {
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'made-up-plots.geojson');
  form.set('collection_name', 'made-up plots');
  form.set('crop_type', 'palm');
  form.set('validate_locations', 'true');
  const answer = await fetch(`${service.url}/batch_process`, {
    method: 'POST',
    body: form,
    headers: { 'x-internal-api-key': KEY, 'x-user-id': user },
  });
  const body = (await answer.json()) as { collection_id: string };
  if (answer.status !== 202) throw new Error(`the batch was refused: ${JSON.stringify(body)}`);
  return body.collection_id;
}

interface State {
  readonly status: string;
  readonly left: number | null;
  readonly total: number | null;
  readonly done: number;
}

async function stateOf({ db }: Store, id: string): Promise<State> {
  const { rows } = await sql<State>`
    select collections.status, parts_left as left, progress_total as total, progress_done as done
    from collections join tasks on tasks.id = task_id where collections.id = ${id}`.execute(db);
  return rows[0]!;
}

/** User and system time of a process and its threads. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}

/** A process and its threads on the core of a worker. */
function pin(pid: number, place: number): void {
  keepTo(pid, `${place % CORES}`);
}

function keepTo(pid: number, cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, `${pid}`]);
}

/** This process and the database server, and whatever they start from now on, on the first so many cores. */
async function confine(cores: number): Promise<void> {
  const list = `0-${cores - 1}`;
  keepTo(process.pid, list);
  const database = await postgres!.create();
  const store = await openStore({ ...database, poolSize: 1, log });
  try {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where backend_type <> 'client backend' or pid = pg_backend_pid()`.execute(
      store.db,
    );
    const stat = await readFile(`/proc/${rows[0]!.pid}/stat`, 'utf8');
    const postmaster = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    for (const pid of [postmaster, ...rows.map((row) => row.pid)]) keepTo(pid, list);
  } finally {
    await store.close();
    await database.drop();
  }
}

/** Processor time of each session of a worker by its process, which is gone when the session ends; a new one is pinned. */
async function noteSessions({ db }: Store, spent: Map<number, number>): Promise<void> {
  const { rows } = await sql<{ pid: number; place: number }>`
    select pid, substring(application_name from 8)::int as place from pg_stat_activity
    where datname = current_database() and application_name like 'worker %'`.execute(db);
  for (const { pid, place } of rows) {
    const ms = await cpuMs(pid).catch(() => null);
    if (ms === null) continue;
    if (!spent.has(pid) && isPinned) pin(pid, place);
    spent.set(pid, ms);
  }
}

/** Locations in parts that were prepared while the file is cut. */
async function countPrepared({ db }: Store): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum((params ->> 'count')::int), 0)::int as count from tasks
    where parent is not null and lease_until is null and attempt > 0`.execute(db);
  return rows[0]!.count;
}

async function versionOf({ db }: Store): Promise<string> {
  const { rows } = await sql<{ server: string }>`select current_setting('server_version') as server`.execute(db);
  return rows[0]!.server;
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000;
}

async function read(store: Store, id: string): Promise<Pick<Row, 'wrong' | 'events' | 'digest'>> {
  const { user_id: userId } = await store.db
    .selectFrom('collections')
    .select('user_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const reader = createCollectionReader(store.db);
  const hash = createHash('sha256');
  let wrong = 0;
  let next = 0;
  for await (const record of reader.records((await reader.get(userId, id))!)) {
    if (record.number !== next || record.feature.id !== next || record.statistics === null) wrong++;
    next++;
    hash.update(JSON.stringify(record));
  }
  const { count: events } = await store.db
    .selectFrom('webhook_events')
    .where('user_id', '=', userId)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return { wrong: wrong + Math.abs(count - next), events, digest: hash.digest('hex').slice(0, 12) };
}
