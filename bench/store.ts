/** `node bench/store.ts`: start, memory, commits and tasks of the store on each engine. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLog } from '../src/log.ts';
import { openStore } from '../src/db/open-store.ts';
import { openTasks } from '../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../src/jobs/start-task-runner.ts';
import { testEngines } from '../test/contracts/engines.ts';

const log = createLog({ level: 'error', json: true });
const COMMITS = 1_000;
const TASKS = 50;
const INPUT_BYTES = 20_000_000;

const [dataDir, databaseUrl] = process.argv.slice(2);
if (dataDir === undefined) await runAll();
else console.log(JSON.stringify(await measure(dataDir, databaseUrl === '' ? null : (databaseUrl ?? null))));

/** Each measurement in a process of its own, first on an empty database, then on the same one again. */
async function runAll(): Promise<void> {
  const rows: object[] = [];
  for (const engine of await testEngines()) {
    if (engine.skip !== false) continue;
    const database = await engine.create();
    for (const start of ['empty', 'existing']) {
      const args = [fileURLToPath(import.meta.url), database.dataDir, database.databaseUrl ?? ''];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (stderr !== '') console.error(stderr);
      rows.push({ engine: engine.name, start, ...(JSON.parse(stdout) as object) });
    }
    await database.drop();
  }
  console.table(rows);
}

async function measure(dataDir: string, databaseUrl: string | null): Promise<object> {
  const started = performance.now();
  const store = await openStore({ dataDir, databaseUrl, poolSize: 10, log });
  const { tasks, queue } = await openTasks(store, { maxQueued: 1_000, retentionDays: 1 });
  const openMs = Math.round(performance.now() - started);
  const rssIdle = rss();
  const user = await store.credentials.addUser(`${randomBytes(8).toString('hex')}@example.org`, null);
  const addToken = () =>
    store.credentials.addToken({
      userId: user.id,
      label: '',
      scopes: ['validate'],
      hash: randomBytes(32),
      expiresAt: null,
    });
  const commits = await rate(COMMITS, async () => {
    for (let index = 0; index < COMMITS; index++) await addToken();
  });
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
  const taskRate = await rate(TASKS, async () => {
    const made = await Promise.all(Array.from({ length: TASKS }, () => submit(null)));
    await Promise.all(made.map(({ id }) => finish(id)));
  });
  const megabytes = await rate(INPUT_BYTES / 1e6, async () => finish((await submit(bytes(INPUT_BYTES))).id));
  delay.disable();
  const result = {
    'open ms': openMs,
    'RSS idle MB': rssIdle,
    'RSS peak MB': Math.round(process.resourceUsage().maxRSS / 1_000),
    'commits/s': commits,
    'tasks/s': taskRate,
    'echo MB/s': megabytes,
    'loop max ms': Math.round(delay.max / 1e6),
    'loop p99 ms': Math.round(delay.percentile(99) / 1e6),
  };
  await runner.stop(0);
  await store.close();
  return result;
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round(count / ((performance.now() - started) / 1_000));
}

function rss(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

async function* bytes(length: number): AsyncIterable<Uint8Array> {
  for (let sent = 0; sent < length; sent += 65_536) yield randomBytes(Math.min(65_536, length - sent));
}
