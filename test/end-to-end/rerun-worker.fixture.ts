/** `node rerun-worker.fixture.ts DATA_DIR [DATABASE_URL] [submit]`: works on tasks and prints each attempt as it begins. */
import { createLog } from '../../src/log.ts';
import { openStore } from '../../src/db/open-store.ts';
import { openTasks } from '../../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../../src/jobs/start-task-runner.ts';

const [dataDir = '', ...rest] = process.argv.slice(2);
const databaseUrl = rest.find((argument) => argument !== 'submit') ?? null;
const log = createLog({ level: 'error', json: true });
const store = await openStore({ dataDir, databaseUrl, poolSize: 5, log });
const { tasks, queue } = await openTasks(store, { maxQueued: 10, retentionDays: 1 });
if (rest.includes('submit')) {
  await tasks.submit({ kind: 'steps', userId: 'rerun', params: { ms: 600_000 }, input: null, idempotency: null });
}
startTaskRunner({
  queue: {
    ...queue,
    async claim(kinds) {
      const task = await queue.claim(kinds);
      if (task !== null) console.log(`attempt ${task.attempt}`);
      return task;
    },
  },
  kinds: ['steps'],
  concurrency: 1,
  threadEntry: new URL('../contracts/task-thread.fixture.ts', import.meta.url),
  threadData: null,
  maxRuntimeS: 3_600,
  log,
});
console.log('ready');
