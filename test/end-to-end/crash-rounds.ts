import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { createLog } from '../../src/log.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openTasks } from '../../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../../src/jobs/start-task-runner.ts';
import type { Tasks } from '../../src/jobs/task.ts';
import type { TestDatabase } from '../contracts/engines.ts';

export const CRASH_USER = 'crash-user';

export interface CrashRoundsOptions {
  readonly rounds: number;
  /**
   * Milliseconds from the start of the process to its end, for the given round; or from its first acknowledged task, however
   * long the machine takes to get there.
   */
  readonly killAfterMs: (round: number) => number | { readonly fromFirstTask: number };
}

export interface CrashReport {
  /** Rounds in which the process was killed before it was ready. */
  readonly killedAtStart: number;
  readonly acknowledged: {
    readonly users: number;
    readonly tokens: number;
    readonly tasks: number;
    readonly done: number;
  };
  /** What was acknowledged and is not there, or is not as it was; one line each. */
  readonly lost: readonly string[];
  /** Tasks that did not end once a runner worked undisturbed. */
  readonly stuck: number;
  readonly completed: number;
  /** Tasks whose thread crashed three times or whose process ten times, which is how a task may fail here. */
  readonly failed: number;
}

const CHILD = fileURLToPath(new URL('./crash-child.fixture.ts', import.meta.url));
const THREAD = new URL('../contracts/task-thread.fixture.ts', import.meta.url);
const log = createLog({ level: 'error', json: true });

/** Some hundred kilobytes that depend on the seed alone: more than one chunk now and then. */
export function inputOf(seed: string): Uint8Array {
  const block = createHash('sha512').update(seed).digest();
  return Buffer.concat(Array.from({ length: 1 + (block.readUInt16LE(0) % 6_000) }, () => block));
}

/** Kills a process that uses the database, again and again, then reads everything that it had acknowledged. */
export async function crashRounds(database: TestDatabase, options: CrashRoundsOptions): Promise<CrashReport> {
  const said = new Map<string, Set<string>>(
    ['ready', 'user', 'token', 'task', 'done'].map((what) => [what, new Set()]),
  );
  let killedAtStart = 0;
  for (let round = 0; round < options.rounds; round++) {
    const lines = await killedRun(database, options.killAfterMs(round));
    if (!lines.some((line) => line.startsWith('ready'))) killedAtStart++;
    for (const line of lines) {
      const [what, id] = line.split(' ') as [string, string];
      said.get(what)?.add(id);
    }
  }
  const acknowledged = (what: string): ReadonlySet<string> => said.get(what) as Set<string>;
  const store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 5, log });
  try {
    const counts = {
      users: acknowledged('user').size,
      tokens: acknowledged('token').size,
      tasks: acknowledged('task').size,
      done: acknowledged('done').size,
    };
    return { killedAtStart, acknowledged: counts, ...(await inspect(store, acknowledged)) };
  } finally {
    await store.close();
  }
}

/** The lines that the process wrote before it was killed. */
async function killedRun(
  database: TestDatabase,
  killAfterMs: number | { readonly fromFirstTask: number },
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-crash-'));
  const file = join(folder, 'acknowledged');
  await writeFile(file, '');
  const args = [CHILD, file, database.dataDir, ...(database.databaseUrl === null ? [] : [database.databaseUrl])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  if (typeof killAfterMs !== 'number')
    while (child.exitCode === null && !/^task .*\n/m.test(await readFile(file, 'utf8')))
      await new Promise((resolve) => setTimeout(resolve, 20));
  const leftMs = typeof killAfterMs === 'number' ? killAfterMs : killAfterMs.fromFirstTask;
  const timer = setTimeout(() => child.kill('SIGKILL'), leftMs);
  const [code, signal] = await ended;
  clearTimeout(timer);
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself with ${signal ?? code}`);
  const text = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  // What follows the last line break was cut off by the kill.
  return text.split('\n').slice(0, -1);
}

async function inspect(store: Store, acknowledged: (what: string) => ReadonlySet<string>) {
  const { tasks, queue } = await openTasks(store, { maxQueued: 100_000, retentionDays: 7 });
  const lost: string[] = [];
  const compare = async (what: string, rows: Promise<readonly { id: string }[]>): Promise<void> => {
    const there = new Set((await rows).map((row) => row.id));
    for (const id of acknowledged(what)) if (!there.has(id)) lost.push(`${what} ${id}`);
  };
  await compare('user', store.db.selectFrom('users').select('id').execute());
  await compare('token', store.db.selectFrom('tokens').select('id').execute());
  await compare('task', store.db.selectFrom('tasks').select('id').where('status', '<>', 'receiving').execute());
  await compare('done', store.db.selectFrom('tasks').select('id').where('status', '=', 'completed').execute());
  const common = { threadEntry: THREAD, threadData: null, maxRuntimeS: 60, log };
  const runner = startTaskRunner({ queue, kinds: ['echo'], concurrency: 2, ...common });
  const stuck = await unfinishedAfter(store, 60_000);
  const [completed, failed] = await checkEndings(store, tasks, lost);
  await runner.stop(0);
  return { lost, stuck, completed, failed };
}

async function unfinishedAfter(store: Store, ms: number): Promise<number> {
  const giveUpAt = performance.now() + ms;
  for (;;) {
    const { count } = await store.db
      .selectFrom('tasks')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('status', '=', 'processing')
      .executeTakeFirstOrThrow();
    if (count === 0 || performance.now() > giveUpAt) return count;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Every task completed with the right bytes, or failed after as many crashes as are allowed; anything else goes to `lost`. */
async function checkEndings(store: Store, tasks: Tasks, lost: string[]): Promise<[completed: number, failed: number]> {
  const rows = await store.db
    .selectFrom('tasks')
    .select(['id', 'params', 'status', 'deaths', 'process_crashes as crashes'])
    .execute();
  let completed = 0;
  let failed = 0;
  for (const { id, params, status, deaths, crashes } of rows) {
    if (status === 'failed' && (deaths === 3 || crashes === 10)) failed++;
    if (status !== 'completed') continue;
    const results = await tasks.results(CRASH_USER, id);
    const bytes = results === null ? null : Buffer.concat(await Array.fromAsync(results));
    if (bytes?.equals(inputOf((params as { seed: string }).seed)) === true) completed++;
    else lost.push(`results ${id}`);
  }
  return [completed, failed];
}
