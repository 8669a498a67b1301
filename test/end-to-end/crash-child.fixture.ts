/**
 * The process that is killed: `node crash-child.fixture.ts FILE DATA_DIR [DATABASE_URL]`. It writes tokens, submits
 * tasks and works on them, and adds a line to FILE for each thing the store has acknowledged.
 */
import { randomBytes } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { createLog } from '../../src/log.ts';
import { openStore } from '../../src/db/open-store.ts';
import { openTasks } from '../../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../../src/jobs/start-task-runner.ts';
import { CRASH_USER, inputOf } from './crash-rounds.ts';

const [file, dataDir, databaseUrl] = process.argv.slice(2);
if (file === undefined || dataDir === undefined) throw new Error('wanted a file and the data folder as arguments');
const log = createLog({ level: 'error', json: true });
const store = await openStore({ dataDir, databaseUrl: databaseUrl ?? null, poolSize: 5, log });
const { tasks, queue } = await openTasks(store, { maxQueued: 100_000, retentionDays: 7 });
startTaskRunner({
  queue,
  kinds: ['echo'],
  concurrency: 2,
  threadEntry: new URL('../contracts/task-thread.fixture.ts', import.meta.url),
  threadData: null,
  maxRuntimeS: 60,
  log,
});
// A file keeps what was written to it when the process is killed; a pipe may be full and a buffer may be lost.
const descriptor = openSync(file, 'a');
const say = (what: string, id: string): void => void writeSync(descriptor, `${what} ${id}\n`);
say('ready', '-');
await Promise.all([writeTokens(), submitTasks()]);

async function writeTokens(): Promise<never> {
  const user = await store.credentials.addUser(`${randomBytes(8).toString('hex')}@example.org`, null);
  say('user', user.id);
  for (;;) {
    const token = {
      userId: user.id,
      label: 'crash',
      scopes: ['validate'] as const,
      hash: randomBytes(32),
      expiresAt: null,
    };
    say('token', (await store.credentials.addToken(token)).id);
  }
}

async function submitTasks(): Promise<never> {
  for (;;) {
    const seed = randomBytes(8).toString('hex');
    const input = inputOf(seed);
    const { id } = await tasks.submit({
      kind: 'echo',
      userId: CRASH_USER,
      params: { seed },
      input: one(input),
      idempotency: null,
    });
    say('task', id);
    for (const task of await tasks.list(CRASH_USER, { limit: 3, status: 'completed' })) say('done', task.id);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function* one(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
