import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Problem } from '../../src/errors.ts';
import type { TaskQueue } from '../../src/jobs/task-queue.ts';
import { createLog } from '../../src/log.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { measureQueue } from '../../src/db/tasks/measure-queue.ts';
import { openTasks, type OpenedTasks, type OpenTasksOptions } from '../../src/db/tasks/open-tasks.ts';
import { startTaskRunner, type TaskRunner } from '../../src/jobs/start-task-runner.ts';
import type { NewTask, Task } from '../../src/jobs/task.ts';
import { testEngines, type TestDatabase } from './engines.ts';

interface RunOptions {
  readonly maxRuntimeS?: number;
  readonly concurrency?: number;
  readonly outageMs?: number;
}

const log = createLog({ level: 'silent', json: true });
const THREAD = new URL('./task-thread.fixture.ts', import.meta.url);
const KINDS = ['echo', 'steps', 'deaf', 'stuck', 'problem', 'bug', 'exits', 'outOfMemory'];

for (const engine of testEngines()) {
  describe(`tasks on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    const runners: TaskRunner[] = [];
    /** A user of its own for each test, so that tests do not see each other's tasks. */
    let userId = '';

    before(async () => {
      database = await engine.create();
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 10, log });
    });
    afterEach(async () => {
      for (const runner of runners.splice(0)) await runner.stop(0);
      await store.db.deleteFrom('tasks').execute();
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    async function openAll(options: Partial<OpenTasksOptions> = {}): Promise<OpenedTasks> {
      userId = `user-${randomUUID()}`;
      return openTasks(store, { maxQueued: 100, retentionDays: 7, ...options });
    }
    function run({ queue }: Pick<OpenedTasks, 'queue'>, options: RunOptions = {}): TaskRunner {
      const { maxRuntimeS = 60, concurrency = 2, outageMs = 60_000 } = options;
      const common = { outageMs, threadEntry: THREAD, threadData: null, graceMs: 300, threadMemoryMb: 48 };
      const runner = startTaskRunner({ queue, kinds: KINDS, log, concurrency, maxRuntimeS, ...common });
      runners.push(runner);
      return runner;
    }
    const newTask = (kind: string, more: Partial<NewTask> = {}): NewTask => ({
      kind,
      userId,
      params: {},
      input: null,
      idempotency: null,
      ...more,
    });
    async function finished({ tasks }: OpenedTasks, id: string): Promise<Task> {
      return until(async () => {
        const task = await tasks.get(userId, id);
        return task?.status === 'processing' ? null : task;
      });
    }

    it('returns the input of an echo task byte for byte, as often as it is read', async () => {
      const all = await openAll();
      run(all);
      const bytes = randomBytes(1_500_001);
      const { id } = await all.tasks.submit(newTask('echo', { input: inPieces(bytes, 70_001) }));
      const task = await finished(all, id);
      assert.equal(task.status, 'completed');
      assert.equal(task.attempt, 1);
      assert.equal(task.resultType, 'application/octet-stream');
      assert.deepEqual(task.progress, { done: bytes.length, total: null });
      assert.ok((task.finishedAt as Date) >= task.createdAt);
      assert.ok((task.expiresAt as Date) > (task.finishedAt as Date));
      for (let reading = 0; reading < 2; reading++) {
        const results = await all.tasks.results(userId, id);
        assert.ok(results !== null);
        assert.ok(Buffer.concat(await Array.fromAsync(results)).equals(bytes));
      }
      const { rows } = await sql`select 1 from task_chunks where direction = 'input'`.execute(store.db);
      assert.equal(rows.length, 0, 'the input of a finished task is dropped');
    });

    it('gives the handler its parameters as they were and completes a task without results', async () => {
      const all = await openAll();
      const params = { text: 'a\u0000b', nested: [1.5, null, { ü: '€' }] };
      await all.tasks.submit(newTask('echo', { params }));
      const claimed = await all.queue.claim(['echo']);
      assert.deepEqual(claimed?.params, params);
      await all.queue.giveBack(claimed);
      run(all);
      const task = await finished(all, claimed.id);
      assert.equal(task.status, 'completed');
      assert.deepEqual(await Array.fromAsync((await all.tasks.results(userId, task.id)) ?? []), []);
    });

    it('makes one task of 50 submissions that share a key', async () => {
      const { tasks } = await openAll();
      const idempotency = { key: 'k', fingerprint: digest('request') };
      const made = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          tasks.submit(newTask('echo', { idempotency, input: index % 2 === 0 ? null : inPieces(randomBytes(10), 5) })),
        ),
      );
      assert.equal(new Set(made.map((task) => task.id)).size, 1);
      assert.equal((await tasks.list(userId, { limit: 100 })).length, 1);
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from tasks`.execute(store.db);
      assert.equal(rows[0]?.count, 1, 'no half received task is left');
      await assert.rejects(tasks.submit(newTask('echo', { idempotency: { key: 'k', fingerprint: digest('other') } })), {
        name: 'Problem',
        code: 'idempotency_mismatch',
      });
      const stranger = await tasks.submit(newTask('echo', { userId: 'somebody else', idempotency }));
      assert.notEqual(stranger.id, made[0]?.id);
    });

    it('shows a task to its owner alone', async () => {
      const { tasks } = await openAll();
      const { id } = await tasks.submit(newTask('steps', { params: { ms: 1 } }));
      assert.equal((await tasks.get(userId, id))?.id, id);
      assert.equal(await tasks.get('somebody else', id), null);
      assert.equal(await tasks.cancel('somebody else', id), null);
      assert.equal(await tasks.results('somebody else', id), null);
      assert.deepEqual(await tasks.list('somebody else', { limit: 10 }), []);
      await assert.rejects(tasks.list('somebody else', { limit: 10, before: id }), /whose last task is still there/);
      assert.equal(await tasks.get(userId, 'not-an-id'), null);
      assert.equal((await tasks.get(userId, id))?.status, 'processing');
    });

    it('lists the newest first, page by page and by status', async () => {
      const { tasks } = await openAll();
      const ids: string[] = [];
      for (let index = 0; index < 7; index++) ids.unshift((await tasks.submit(newTask('echo'))).id);
      const first = await tasks.list(userId, { limit: 3 });
      const second = await tasks.list(userId, { limit: 10, before: first[2]?.id as string });
      assert.deepEqual(
        [...first, ...second].map((task) => task.id),
        ids,
      );
      await tasks.cancel(userId, ids[0] as string);
      const cancelled = await tasks.list(userId, { limit: 10, status: 'cancelled' });
      assert.deepEqual(
        cancelled.map((task) => task.id),
        [ids[0]],
      );
    });

    it('refuses a task when the queue is full and accepts one again when a task ends', async () => {
      const { tasks } = await openAll({ maxQueued: 5 });
      const made = await Promise.allSettled(Array.from({ length: 12 }, () => tasks.submit(newTask('echo'))));
      const refused = made.filter((result) => result.status === 'rejected');
      assert.equal(refused.length, 7);
      for (const { reason } of refused) assert.equal(reason.code, 'queue_full');
      const accepted = made.find((result) => result.status === 'fulfilled');
      await tasks.cancel(userId, accepted?.value.id as string);
      assert.equal((await tasks.submit(newTask('echo'))).status, 'processing');
    });

    it('leaves nothing of a task whose sender went away', async () => {
      const { tasks } = await openAll();
      const failing = async function* (): AsyncIterable<Uint8Array> {
        yield new Uint8Array(300_000);
        throw new Error('the sender went away');
      };
      await assert.rejects(tasks.submit(newTask('echo', { input: failing() })), /went away/);
      const { rows } = await sql`select id::text from tasks union all select task_id::text from task_chunks`.execute(
        store.db,
      );
      assert.deepEqual(rows, []);
    });

    it('cancels a waiting task, which then never runs', async () => {
      const all = await openAll();
      const { id } = await all.tasks.submit(newTask('steps', { params: { ms: 1 } }));
      assert.equal((await all.tasks.cancel(userId, id))?.status, 'cancelled');
      assert.equal(await all.queue.claim(KINDS), null);
      assert.equal((await all.tasks.cancel(userId, id))?.status, 'cancelled');
      assert.equal((await all.tasks.get(userId, id))?.attempt, 0);
    });

    it('stops a running task that listens, and one that does not', async () => {
      const all = await openAll();
      const runner = run(all);
      const listening = await all.tasks.submit(newTask('steps', { params: { ms: 60_000 } }));
      const deaf = await all.tasks.submit(newTask('deaf'));
      await until(async () => (runner.status().running === 2 ? true : null));
      for (const { id } of [listening, deaf]) assert.equal((await all.tasks.cancel(userId, id))?.status, 'cancelled');
      await until(async () => (runner.status().running === 0 ? true : null));
      assert.equal(await all.tasks.results(userId, listening.id), null);
      const next = await all.tasks.submit(newTask('steps', { params: { ms: 1 } }));
      assert.equal((await finished(all, next.id)).status, 'completed');
    });

    it('stores progress while the task runs', async () => {
      const all = await openAll();
      run(all);
      const { id } = await all.tasks.submit(newTask('steps', { params: { ms: 60_000 } }));
      const task = await until(async () => {
        const found = await all.tasks.get(userId, id);
        return found !== null && found.progress.done > 0 ? found : null;
      });
      assert.equal(task.progress.total, 1_000);
    });

    it('fails a task at once when its handler throws, and shows only what clients may see', async () => {
      const all = await openAll();
      run(all);
      const problem = await all.tasks.submit(newTask('problem'));
      const bug = await all.tasks.submit(newTask('bug'));
      const failed = await finished(all, problem.id);
      assert.equal(failed.status, 'failed');
      assert.deepEqual(failed.error, {
        code: 'invalid_geometry',
        detail: 'wanted a ring that closes, got one that does not',
      });
      const broken = await finished(all, bug.id);
      assert.equal(broken.error?.code, 'internal');
      assert.doesNotMatch(broken.error.detail, /secret|undefined|\.ts/);
      assert.deepEqual([failed.attempt, broken.attempt], [1, 1]);
      assert.equal(await all.tasks.results(userId, bug.id), null);
    });

    it('runs a task again when its thread exits, and fails it after three crashes without a byte of results', async () => {
      const all = await openAll();
      run(all);
      const { id } = await all.tasks.submit(newTask('exits', { input: inPieces(randomBytes(400_000), 100_000) }));
      const task = await finished(all, id);
      assert.equal(task.status, 'failed');
      assert.equal(task.attempt, 3);
      assert.equal(task.error?.code, 'task_failed');
      assert.match(task.error.detail, /stopped unexpectedly 3 times/);
      const { rows } = await sql`select 1 from task_chunks`.execute(store.db);
      assert.equal(rows.length, 0);
    });

    it('survives a task that fills the memory of its thread', async () => {
      const all = await openAll();
      run(all);
      const { id } = await all.tasks.submit(newTask('outOfMemory'));
      assert.equal((await finished(all, id)).error?.code, 'task_failed');
      const next = await all.tasks.submit(newTask('steps', { params: { ms: 1 } }));
      assert.equal((await finished(all, next.id)).status, 'completed');
    });

    it('fails a task at its time limit', async () => {
      const all = await openAll();
      run(all, { maxRuntimeS: 0.3 });
      const { id } = await all.tasks.submit(newTask('deaf'));
      const task = await finished(all, id);
      assert.equal(task.status, 'failed');
      assert.match(task.error?.detail ?? '', /longer than the 0.3 s/);
    });

    it('lets a worker that lost its lease write neither results nor progress nor an ending', async () => {
      const { tasks, queue } = await openAll();
      const { id } = await tasks.submit(newTask('echo'));
      const stalled = await queue.claim(['echo']);
      assert.ok(stalled !== null);
      assert.equal(await queue.writeOutput(stalled, 0, Buffer.from('old')), true);
      await store.db
        .updateTable('tasks')
        .set({ lease_until: sql<Date>`now() - interval '1 s'` })
        .execute();
      assert.equal(await queue.reapExpired(), 1);
      const refused = async (): Promise<void> => {
        assert.equal(await queue.writeOutput(stalled, 1, Buffer.from('old')), false);
        assert.deepEqual(await queue.renew([{ ...stalled, progress: { done: 9, total: 9 } }]), new Set());
        assert.equal(await queue.complete(stalled, { type: 'text/plain', chunks: 1, progress: null }), false);
        assert.equal(await queue.fail(stalled, { code: 'internal', detail: 'old' }), false);
        assert.equal(await queue.giveBack(stalled), false);
        assert.equal(await queue.reportCrash(stalled, null), 'lost');
      };
      await refused();
      const second = await queue.claim(['echo']);
      assert.equal(second?.attempt, 2);
      await refused();
      assert.equal(await queue.writeOutput(second, 0, Buffer.from('new')), true);
      const outcome = { not_processed: 3 };
      assert.equal(await queue.complete(second, { type: 'text/plain', chunks: 1, progress: null, outcome }), true);
      await refused();
      assert.deepEqual((await tasks.get(userId, id))?.about.outcome, outcome);
      const results = await Array.fromAsync((await tasks.results(userId, id)) ?? []);
      assert.equal(Buffer.concat(results).toString(), 'new');
      assert.deepEqual((await tasks.get(userId, id))?.progress, { done: 0, total: null });
    });

    it('runs a task again when its process disappears, which does not count as its own crash', async () => {
      const { tasks, queue } = await openAll();
      const { id } = await tasks.submit(newTask('echo'));
      const disappear = async (): Promise<void> => {
        await store.db
          .updateTable('tasks')
          .set({ lease_until: sql<Date>`now() - interval '1 s'` })
          .execute();
        assert.equal(await queue.reapExpired(), 1);
      };
      for (let crash = 1; crash <= 3; crash++) {
        assert.equal((await queue.claim(['echo']))?.attempt, crash);
        await disappear();
      }
      assert.equal((await tasks.get(userId, id))?.status, 'processing');
      // Two crashes of its own are still allowed, and three are not.
      for (const next of ['again', 'again', 'failed'] as const) {
        const run = await queue.claim(['echo']);
        assert.ok(run !== null);
        assert.equal(await queue.reportCrash(run, null), next);
      }
      assert.match((await tasks.get(userId, id))?.error?.detail ?? '', /the worker of this task stopped .* 3 times/);
    });

    it('fails a task whose process disappeared ten times', async () => {
      const { tasks, queue } = await openAll();
      const { id } = await tasks.submit(newTask('echo'));
      for (let crash = 1; crash <= 10; crash++) {
        assert.equal((await queue.claim(['echo']))?.attempt, crash);
        await store.db
          .updateTable('tasks')
          .set({ lease_until: sql<Date>`now() - interval '1 s'` })
          .execute();
        assert.equal(await queue.reapExpired(), 1);
      }
      const task = await tasks.get(userId, id);
      assert.equal(task?.status, 'failed');
      assert.match(task?.error?.detail ?? '', /the process that worked on this task ended unexpectedly 10 times/);
      assert.equal(await queue.claim(['echo']), null);
    });

    it('lets a task wait whose file cannot be reached, as often as that takes, and fails it after a day without the file', async () => {
      const all = await openAll();
      let isAway = true;
      const queue: TaskQueue = {
        ...all.queue,
        readInput: (run, seq) =>
          isAway
            ? Promise.reject(new Problem('dependency_unavailable', 'The bucket is away.'))
            : all.queue.readInput(run, seq),
      };
      run({ ...all, queue }, { outageMs: 0 });
      const input = Buffer.from('rows');
      const { id } = await all.tasks.submit(newTask('echo', { input: inPieces(input, 2) }));
      const postponed = (attempt: number): Promise<true> =>
        until(async () => {
          const task = await all.tasks.get(userId, id);
          return task?.phase === 'waiting' && task.attempt === attempt ? true : null;
        });
      const endWait = (more: object = {}): Promise<unknown> =>
        store.db
          .updateTable('tasks')
          .set({ lease_until: sql<Date>`now() - interval '1 s'`, ...more })
          .where('lease_owner', 'is', null)
          .execute();
      // More often than a task whose process disappears may begin again.
      for (let attempt = 1; attempt <= 12; attempt++) {
        await postponed(attempt);
        assert.equal(await all.queue.claim(['echo']), null, 'it waits for a minute');
        await endWait();
        assert.equal(await all.queue.reapExpired(), 0, 'and nobody has died');
      }
      await postponed(13);
      isAway = false;
      await endWait();
      await all.queue.reapExpired();
      assert.equal((await finished(all, id)).status, 'completed');
      assert.deepEqual(Buffer.concat(await Array.fromAsync((await all.tasks.results(userId, id)) ?? [])), input);

      isAway = true;
      const old = await all.tasks.submit(newTask('echo', { input: inPieces(input, 2) }));
      await until(async () => ((await all.tasks.get(userId, old.id))?.phase === 'waiting' ? true : null));
      // That it was submitted long ago, and waited for its turn, is no reason.
      await endWait({ created_at: sql<Date>`now() - interval '25 hours'` });
      await all.queue.reapExpired();
      await until(async () => {
        const task = await all.tasks.get(userId, old.id);
        return task?.phase === 'waiting' && task.attempt === 2 ? true : null;
      });
      await endWait({ away_since: sql<Date>`now() - interval '25 hours'` });
      await all.queue.reapExpired();
      const failed = await finished(all, old.id);
      assert.equal(failed.error?.code, 'dependency_unavailable');
      assert.match(failed.error?.detail ?? '', /could not be read for 24 hours/);
    });

    it('lets users take turns, whoever came first and however much they sent', async () => {
      const { tasks, queue } = await openAll();
      const submit = (user: string): Promise<Task> => tasks.submit({ ...newTask('echo'), userId: `${userId} ${user}` });
      const begun: string[] = [];
      const begin = async (): Promise<() => Promise<unknown>> => {
        const run = await queue.claim(KINDS);
        assert.ok(run !== null);
        const row = await store.db.selectFrom('tasks').select('user_id').where('id', '=', run.id).executeTakeFirst();
        begun.push(row?.user_id.split(' ')[1] ?? '');
        return () => queue.complete(run, { type: 'text/plain', chunks: 0, progress: null });
      };
      for (let i = 0; i < 6; i++) await submit('heavy');
      const first = await begin();
      for (const user of ['light', 'late']) await submit(user);
      // The one with nothing at work, then the other, then whoever has the least.
      const second = await begin();
      const third = await begin();
      assert.deepEqual(begun, ['heavy', 'light', 'late']);
      await Promise.all([first(), second(), third()]);
      for (const user of ['light', 'late', 'light']) await submit(user);
      for (let i = 0; i < 6; i++) await (await begin())();
      assert.deepEqual(begun.slice(3), ['heavy', 'light', 'late', 'heavy', 'light', 'heavy']);
    });

    it('gives the first turn within a user to a task that was given back', async () => {
      const { tasks, queue } = await openAll();
      const { id } = await tasks.submit(newTask('echo'));
      await tasks.submit(newTask('steps'));
      const run = await queue.claim(KINDS);
      assert.equal(run?.id, id);
      await queue.giveBack(run);
      assert.equal((await queue.claim(KINDS))?.id, id);
    });

    it('finds a task for a newcomer alone where one is requested', async () => {
      const { tasks, queue } = await openAll();
      for (let i = 0; i < 2; i++) await tasks.submit(newTask('echo'));
      assert.ok((await queue.claim(KINDS)) !== null);
      assert.equal(await queue.claim(KINDS, { extraPlace: true }), null);
      const { id } = await tasks.submit({ ...newTask('echo'), userId: `${userId} other` });
      assert.equal((await queue.claim(KINDS, { extraPlace: true }))?.id, id);
    });

    it('finishes the task of a newcomer while another user fills every slot of the runner', async () => {
      const all = await openAll();
      const other = `${userId} other`;
      const heavy = [];
      for (let i = 0; i < 3; i++) heavy.push(await all.tasks.submit(newTask('stuck')));
      const runner = run(all, { concurrency: 1 });
      await until(async () => (runner.status().running === 1 ? true : null));
      const { id } = await all.tasks.submit({ ...newTask('echo'), userId: other });
      const task = await until(async () => {
        const now = await all.tasks.get(other, id);
        return now?.status === 'processing' ? null : now;
      });
      assert.equal(task.status, 'completed');
      for (const { id: stuck } of heavy) await all.tasks.cancel(userId, stuck);
    });

    it('finds a short task of a newcomer alone where one is requested', async () => {
      const { tasks, queue } = await openAll();
      const sized = (size: number, user: string): Promise<Task> =>
        tasks.submit({
          ...newTask('echo', { input: inPieces(randomBytes(size), 70_001) }),
          userId: `${userId} ${user}`,
        });
      const only = { extraPlace: true, shortOnly: true };
      await sized(1_000_001, 'large');
      await tasks.submit({ ...newTask('echo'), userId: `${userId} without input` });
      assert.equal(await queue.claim(KINDS, only), null);
      const { id } = await sized(1_000_000, 'small');
      assert.equal((await queue.claim(KINDS, only))?.id, id);
      await sized(1_000, 'small');
      assert.equal(await queue.claim(KINDS, only), null, 'the user has a task at work');
    });

    it('finds a short task in addition to those of every day for a user whose own are long and in one piece', async () => {
      const { tasks, queue } = await openAll({ maxPerUser: 100 });
      const sized = async (size: number): Promise<string> =>
        (await tasks.submit(newTask('keeps', { input: inPieces(randomBytes(size), 70_001) }))).id;
      const extra = { extraPlace: true };
      const large = await sized(1_000_001);
      const reader = await queue.claim(['keeps']);
      assert.equal(reader?.id, large);
      await sized(1_000_001);
      await queue.kept!.stage(reader, { seq: 0, first: 0, count: 1_001 }, new Uint8Array(1), true);
      assert.equal(await queue.claim(['keeps'], extra), null, 'neither a second large one nor a part of the first');
      const end = { type: 'text/plain', chunks: 0, progress: null };
      const [small, next] = [await sized(1_000), await sized(1_000)];
      const run = await queue.claim(['keeps'], extra);
      assert.equal(run?.id, small);
      assert.equal(await queue.claim(['keeps'], extra), null, 'the user has a short task at work');
      await queue.complete(run, end);
      const again = await queue.claim(['keeps'], extra);
      assert.equal(again?.id, next);
      await queue.complete(again, end);

      const whole = { seq: 0, first: 0, count: 1_001 };
      await queue.kept!.cut(reader, { parts: 1, total: 1_001, phase: 'measuring', cut: null });
      const part = await queue.claim(['keeps']);
      assert.equal(part?.parent, large);
      const last = await sized(1_000);
      assert.equal(await queue.claim(['keeps'], extra), null, 'a part ends soon');
      await queue.kept!.completePart(part, whole, { summary: null, bytes: new Uint8Array(1) });
      assert.equal((await queue.claim(['keeps']))?.stage?.type, 'join');
      assert.equal((await queue.claim(['keeps'], extra))?.id, last);
    });

    it('begins a small task before it helps with a large one of the same user that is being cut', async () => {
      const { tasks, queue } = await openAll();
      await tasks.submit(newTask('keeps'));
      const reader = await queue.claim(['keeps']);
      await queue.kept!.stage(reader!, { seq: 0, first: 0, count: 5_000 }, new Uint8Array(1), true);
      const { id } = await tasks.submit(newTask('keeps'));
      assert.equal((await queue.claim(['keeps']))?.id, id);
      assert.equal((await queue.claim(['keeps']))?.parent, reader!.id, 'and helps then');
    });

    it('measures how long the oldest has waited that nobody works on, and what is at work', async () => {
      const { tasks, queue } = await openAll();
      const expect = async (running: number, waitedS: number | null): Promise<void> => {
        const measures = await measureQueue(store.db);
        assert.equal(measures.running, running);
        if (waitedS === null) assert.equal(measures.oldestWaitingS, 0);
        else assert.ok(measures.oldestWaitingS >= waitedS && measures.oldestWaitingS < waitedS + 1_000);
      };
      const age = (id: string, hours: number): Promise<unknown> =>
        sql`update tasks set created_at = now() - ${hours}::int * interval '1 hour' where id = ${id}`.execute(store.db);
      await expect(0, null);
      const { id } = await tasks.submit(newTask('keeps'));
      await age(id, 2);
      await expect(0, 7_200);
      const whole = await queue.claim(['keeps']);
      await expect(1, null);
      await sql`update tasks set lease_until = now() - interval '1 s'`.execute(store.db);
      await expect(0, 7_200);
      await sql`update tasks set lease_until = now() + interval '1 hour'`.execute(store.db);
      await queue.kept!.stage(whole!, { seq: 0, first: 0, count: 1 }, new Uint8Array(1), true);
      await queue.kept!.cut(whole!, { parts: 1, total: 1, phase: 'measuring', cut: null });
      // Of a task in parts those wait, since it was cut.
      await expect(0, 0);
      const { rows } = await sql<{ id: string }>`select id from tasks where parent = ${id}`.execute(store.db);
      await age(rows[0]!.id, 1);
      await expect(0, 3_600);
      await queue.claim(['keeps']);
      await expect(1, null);
      await queue.postpone((await tasks.submit(newTask('echo')), (await queue.claim(['echo']))!));
      await expect(1, null);
    });

    it('counts a task that was cut as short by its locations', async () => {
      const { tasks, queue } = await openAll();
      for (const locations of [1_001, 1_000]) {
        const { id } = await tasks.submit({ ...newTask('keeps'), userId: `${userId} ${locations}` });
        const whole = await queue.claim(['keeps']);
        assert.equal(whole?.id, id);
        await queue.kept!.stage(whole, { seq: 0, first: 0, count: locations }, new Uint8Array(1), false);
        await queue.kept!.cut(whole, { parts: 1, total: locations, phase: 'measuring', cut: null });
        const part = await queue.claim(['keeps'], { shortOnly: true });
        assert.equal(part?.parent ?? null, locations > 1_000 ? null : id);
      }
    });

    for (const concurrency of [1, 2])
      it(`finishes short tasks of a user whose own long ones fill ${concurrency} of ${concurrency} places`, async () => {
        const all = await openAll();
        const heavy: Task[] = [];
        for (let i = 0; i <= concurrency; i++) heavy.push(await all.tasks.submit(newTask('stuck')));
        const runner = run(all, { concurrency });
        await until(async () => (runner.status().running === concurrency ? true : null));
        for (let i = 0; i < 3; i++) {
          const { id } = await all.tasks.submit(newTask('echo', { input: inPieces(randomBytes(100), 50) }));
          assert.equal((await finished(all, id)).status, 'completed');
        }
        assert.equal(runner.status().running, concurrency, 'the last long task waits');
        for (const { id } of heavy) await all.tasks.cancel(userId, id);
      });

    it('finishes a short task while two users with long ones fill every other place of the runner', async () => {
      const all = await openAll();
      const heavy: Task[] = [];
      for (const user of ['a', 'b', 'c'])
        for (let i = 0; i < 2; i++)
          heavy.push(await all.tasks.submit({ ...newTask('stuck'), userId: `${userId} ${user}` }));
      const runner = run(all, { concurrency: 1 });
      await until(async () => (runner.status().running === 2 ? true : null));
      for (let i = 0; i < 3; i++) {
        const { id } = await all.tasks.submit(newTask('echo', { input: inPieces(randomBytes(100), 50) }));
        assert.equal((await finished(all, id)).status, 'completed');
      }
      assert.equal(runner.status().running, 2, 'the long task of the third user waits');
      for (const { id, userId: user } of heavy) await all.tasks.cancel(user, id);
    });

    it('refuses more unfinished tasks and stored bytes of one user than one may have, and nobody else’s', async () => {
      const { tasks } = await openAll({ maxPerUser: 2, maxStoredBytes: 1_000_000 });
      const input = (size: number) => ({ input: inPieces(randomBytes(size), 70_001) });
      await tasks.submit(newTask('echo', input(600_000)));
      await assert.rejects(tasks.submit(newTask('echo', input(600_000))), { code: 'storage_full', status: 413 });
      await tasks.submit(newTask('echo', input(300_000)));
      await assert.rejects(tasks.submit(newTask('echo')), { code: 'quota_exceeded', status: 429 });
      const theirs = await tasks.submit({ ...newTask('echo', input(900_000)), userId: `${userId} other` });
      assert.equal(theirs.status, 'processing');
      const { rows } = await sql`select 1 from tasks where status = 'receiving'`.execute(store.db);
      assert.equal(rows.length, 0, 'nothing of a refused task stays');
    });

    it('gives running tasks back when the runner stops, which counts as no crash', async () => {
      const all = await openAll();
      const runner = run(all);
      const { id } = await all.tasks.submit(newTask('steps', { params: { ms: 1_500 } }));
      await until(async () => (runner.status().running === 1 ? true : null));
      await runner.stop(50);
      const waiting = await all.tasks.get(userId, id);
      assert.equal(waiting?.status, 'processing');
      const row = await store.db.selectFrom('tasks').select(['deaths', 'lease_until']).executeTakeFirstOrThrow();
      assert.deepEqual(row, { deaths: 0, lease_until: null });
      run(all);
      const task = await finished(all, id);
      assert.equal(task.status, 'completed');
      assert.equal(task.attempt, 2);
    });

    it('hands each task to one of several runners', async () => {
      const all = await openAll();
      const ids = await Promise.all(
        Array.from({ length: 12 }, async () => (await all.tasks.submit(newTask('echo'))).id),
      );
      run(all);
      run(all);
      for (const id of ids) assert.equal((await finished(all, id)).attempt, 1);
    });

    it('keeps what the completion hook writes exactly when the task is finished', async () => {
      let fail = false;
      const seen: string[] = [];
      const { tasks, queue } = await openAll({
        onFinished: async (trx, task) => {
          await sql`insert into secrets (name, value) values (${`event ${task.id}`}, ${Buffer.from(task.status)})`.execute(
            trx,
          );
          if (fail) throw new Error('the hook failed');
          seen.push(task.status);
        },
      });
      const { id } = await tasks.submit(newTask('echo'));
      const events = async () =>
        (await sql`select 1 from secrets where name = ${`event ${id}`}`.execute(store.db)).rows.length;
      const claimed = await queue.claim(['echo']);
      assert.ok(claimed !== null);
      fail = true;
      await assert.rejects(queue.complete(claimed, { type: 'text/plain', chunks: 0, progress: null }), /hook failed/);
      assert.equal((await tasks.get(userId, id))?.status, 'processing');
      assert.equal(await events(), 0);
      fail = false;
      assert.equal(await queue.complete(claimed, { type: 'text/plain', chunks: 0, progress: null }), true);
      assert.equal(await events(), 1);
      assert.deepEqual(seen, ['completed']);
    });

    it('hides and deletes a task and its results when their time is over', async () => {
      const all = await openAll({ retentionDays: 0.2 / 86_400 });
      run(all);
      const idempotency = { key: 'again', fingerprint: digest('x') };
      const { id } = await all.tasks.submit(newTask('steps', { params: { ms: 1 }, idempotency }));
      const gone = await until(async () => ((await all.tasks.get(userId, id)) === null ? true : null));
      assert.ok(gone);
      assert.equal(await all.tasks.results(userId, id), null);
      const second = await all.tasks.submit(newTask('steps', { params: { ms: 1 }, idempotency }));
      assert.notEqual(second.id, id);
      await until(async () => ((await all.tasks.get(userId, second.id)) === null ? true : null));
      assert.equal(await all.queue.deleteExpired(), 1);
      const { rows } = await sql`select id::text from tasks union all select task_id::text from task_chunks`.execute(
        store.db,
      );
      assert.deepEqual(rows, []);
    });
  });
}

async function until<T>(find: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 1_500; tries++) {
    const found = await find();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('what the test waits for did not happen within 30 s');
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
