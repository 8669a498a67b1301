import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { after, afterEach, before, describe, it } from 'node:test';
import { Value } from 'typebox/value';
import { sql } from 'kysely';
import { MAX_RUNS, type BatchOptions, type Collection } from '../../src/collections/collection.ts';
import type { PartSummary } from '../../src/collections/batch-summary.ts';
import type { PlotRecord } from '../../src/collections/plot-record.ts';
import { createLog } from '../../src/log.ts';
import { collectionHooks } from '../../src/service/collections/outcome.ts';
import type { CollectionTaskParams, CollectionTaskSummary } from '../../src/service/collections/collection-task.ts';
import { exportedCollection, EXPORT_TASK } from '../../src/service/collections/export-task.ts';
import { createCompletionRecorder } from '../../src/service/webhooks/completion.ts';
import { createCollectionStore, type CollectionStore } from '../../src/db/collections/create-collections.ts';
import { packRecords, unpackRecords } from '../../src/db/collections/pack-records.ts';
import { markProcessing } from '../../src/db/collections/record-outcome.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { Queue } from '../../src/http/routes/service/queue.ts';
import { createQueueViewer } from '../../src/db/tasks/show-queue.ts';
import { openTasks, type OpenedTasks } from '../../src/db/tasks/open-tasks.ts';
import { openWebhookStore } from '../../src/db/webhooks/open-webhook-store.ts';
import type { ClaimedTask } from '../../src/jobs/task-queue.ts';
import type { TaskStage } from '../../src/jobs/task.ts';
import { startTaskRunner } from '../../src/jobs/start-task-runner.ts';
import { BATCH_OPTIONS } from '../memory/collections.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const mappingTo = (field: string) => [
  {
    name: null,
    header_row: 1,
    skipped: null,
    columns: [{ column: 'X', field, confidence: 1, why: 'The mapping says so.' }],
  },
];
const STAGED_MAPPING = mappingTo('longitude');
const BATCH_MAPPING = mappingTo('easting');
const THREAD = new URL('./task-thread.fixture.ts', import.meta.url);

for (const engine of testEngines()) {
  describe(`collections on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let collections: CollectionStore;
    let tasks: OpenedTasks;
    let userId = '';

    before(async () => {
      database = await engine.create();
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 10, log });
      collections = createCollectionStore(store);
      const webhooks = await openWebhookStore(store, { retentionDays: 1, retryDelaysS: [10, 30, 60] });
      const recordCompletion = createCompletionRecorder({ webhooks, log, clock: () => new Date(), onDelivery() {} });
      const hooks = collectionHooks(() => 'https://example.org', recordCompletion);
      tasks = await openTasks(store, {
        maxQueued: 100,
        retentionDays: 7,
        onFinished: hooks.onFinished,
        async onSubmitted(trx, task, params) {
          await hooks.onSubmitted(trx, task, params);
          // What the runner's contract keeps parts for.
          const { collectionId: id } = params as { collectionId: string };
          if (task.kind.startsWith('keeps'))
            await markProcessing(trx, { id, userId: task.userId, taskId: task.id, options: null });
        },
      });
      userId = (await store.credentials.addUser('ana@example.org', null)).id;
      const url = 'https://example.org/hook';
      await webhooks.add({ id: randomUUID(), userId, url, host: 'example.org', secret: 'sealed' });
    });
    afterEach(async () => {
      await store.db.deleteFrom('collections').execute();
      await store.db.deleteFrom('tasks').execute();
      await store.db.deleteFrom('blobs').execute();
      await store.db.deleteFrom('emails').execute();
      await store.db.deleteFrom('webhook_events').execute();
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    const bytes = randomBytes(600_000);
    async function add(name = 'lot 7', key: string | null = null, fingerprint = 'one'): Promise<Collection> {
      const idempotency = key === null ? null : { key, fingerprint: createHash('sha256').update(fingerprint).digest() };
      const file = { name: 'lot.csv', size: bytes.length, sha256: 'f'.repeat(64) };
      const reading = { mapping: { X: 'longitude' } };
      const id = randomUUID();
      const added = { id, userId, name, description: 'd', file, reading, mapping: STAGED_MAPPING, idempotency };
      return collections.add(added, () => pieces(bytes));
    }
    async function submit(
      collection: Collection,
      options: BatchOptions | null = BATCH_OPTIONS,
      kind?: string,
      more = {},
    ) {
      const { blobId } = (await collections.source(userId, collection.id))!;
      const { id, name, description, file, createdAt } = collection;
      const params: CollectionTaskParams = {
        collectionId: id,
        collection: { id, userId, name, description, file, createdAt: createdAt.toISOString() },
        reading: {} as CollectionTaskParams['reading'],
        email: null,
        options,
      };
      return tasks.tasks.submit({
        kind: kind ?? (options === null ? 'collection_check' : 'collection_batch'),
        userId,
        params: { ...params, ...more },
        input: { blobId },
        idempotency: null,
      });
    }
    function run({ maxRuntimeS }: { maxRuntimeS: number }) {
      const common = { threadData: null, log, maxRuntimeS, graceMs: 100, concurrency: 1 };
      const kinds = ['keeps', 'keepsSlowly'];
      return startTaskRunner({ queue: tasks.queue, kinds, threadEntry: THREAD, ...common });
    }
    async function ended(id: string) {
      for (;;) {
        const task = (await tasks.tasks.get(userId, id))!;
        if (task.status !== 'processing') return task;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const claim = async (): Promise<ClaimedTask> =>
      (await tasks.queue.claim(['collection_batch', 'collection_check']))!;
    const now = async (id: string): Promise<Collection> => (await collections.get(userId, id))!;
    const stage = (run: ClaimedTask, seq: number, first: number, count: number, isFinal = false): Promise<boolean> =>
      tasks.queue.kept!.stage(run, { seq, first, count }, new Uint8Array([seq]), isFinal);
    const partOf = ({ stage: at }: ClaimedTask) => (at as Extract<TaskStage, { type: 'part' | 'prepare' }>).part;
    async function completePart(run: ClaimedTask): Promise<boolean> {
      const part = partOf(run);
      const lines = Array.from({ length: part.count }, (_, i) =>
        JSON.stringify(record(part.first + i, run.parent ?? '')),
      );
      const bytes = await packRecords(lines);
      return tasks.queue.kept!.completePart(run, part, { summary: summaryOf(part.count), bytes });
    }
    /** Cuts the run's task into parts of so many locations. */
    async function cut(run: ClaimedTask, counts: readonly number[]): Promise<void> {
      let first = 0;
      for (const [seq, count] of counts.entries()) {
        assert.ok(await stage(run, seq, first, count));
        first += count;
      }
      const made = { parts: counts.length, total: first, phase: 'measuring', cut: { parts: counts.length } };
      assert.ok(await tasks.queue.kept!.cut(run, made));
    }
    /** The run that joins the parts of the task, once all of them are done. */
    async function joined(run: ClaimedTask, counts: readonly number[]): Promise<ClaimedTask> {
      await cut(run, counts);
      for (const _ of counts) assert.ok(await completePart(await claim()));
      return claim();
    }
    const finish = (run: ClaimedTask, more: Partial<CollectionTaskSummary> = {}) =>
      tasks.queue.complete(run, {
        type: 'application/json',
        chunks: 0,
        progress: null,
        summary: { ...summaryOf(3), parts: 2, mapping: BATCH_MAPPING, report: null, ...more },
      });
    const numbersOf = async (collection: Collection, from?: number): Promise<readonly (number | string)[]> =>
      (await Array.fromAsync(collections.records(collection, from))).map(({ number }) => number);

    it('are kept with their file, for their user alone, newest first', async () => {
      const first = await add('first');
      const second = await add('second');
      assert.deepEqual([first.status, first.options, first.counts, first.taskId], ['staged', null, null, null]);
      assert.equal(await collections.get('somebody else', first.id), null);
      assert.equal(await collections.get(userId, 'x'), null);
      assert.equal(await collections.source('somebody else', first.id), null);
      const { blobId, reading } = (await collections.source(userId, first.id))!;
      assert.deepEqual(reading, { mapping: { X: 'longitude' } });
      const blob = (await store.blobs.get(blobId))!;
      assert.ok(Buffer.concat(await Array.fromAsync(blob.bytes)).equals(bytes));
      const names = async (page: { limit: number; before?: string }) =>
        (await collections.list(userId, page)).map(({ name }) => name);
      assert.deepEqual(await names({ limit: 10 }), ['second', 'first']);
      assert.deepEqual(await names({ limit: 1 }), ['second']);
      assert.deepEqual(await names({ limit: 1, before: second.id }), ['first']);
      await assert.rejects(names({ limit: 1, before: randomUUID() }), /before: wanted `next` of the page before/);
      assert.deepEqual(await collections.list('somebody else', { limit: 10 }), []);
    });

    it('are made once for an idempotency key, and leave no file behind', async () => {
      const made = await Promise.all(Array.from({ length: 5 }, () => add('lot', 'key')));
      assert.equal(new Set(made.map(({ id }) => id)).size, 1);
      await assert.rejects(add('lot', 'key', 'two'), { code: 'idempotency_mismatch' });
      assert.equal((await sql`select 1 from blobs`.execute(store.db)).rows.length, 1);
    });

    it('leave nothing behind when their sender goes away', async () => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield bytes;
        throw new Error('the sender left');
      }
      const file = { name: 'x', size: 1, sha256: '' };
      const half = {
        id: randomUUID(),
        userId,
        name: 'x',
        description: '',
        file,
        reading: {},
        mapping: [],
        idempotency: null,
      };
      await assert.rejects(collections.add(half, broken), /the sender left/);
      assert.equal((await sql`select 1 from blob_chunks`.execute(store.db)).rows.length, 0);
      assert.deepEqual(await collections.list(userId, { limit: 10 }), []);
    });

    it('give their file to the task without another copy', async () => {
      const { id } = await submit(await add());
      const run = await claim();
      assert.equal(run.id, id);
      const read: Uint8Array[] = [];
      for (let seq = 0; ; seq++) {
        const chunk = await tasks.queue.readInput(run, seq);
        if (chunk === null) break;
        read.push(chunk);
      }
      assert.ok(Buffer.concat(read).equals(bytes));
      assert.equal((await sql`select 1 from task_chunks`.execute(store.db)).rows.length, 0);
    });

    it('are processing exactly while their task is, and refuse a second one', async () => {
      const collection = await add();
      const task = await submit(collection);
      assert.deepEqual(pick(await now(collection.id)), ['processing', task.id]);
      assert.deepEqual((await now(collection.id)).mapping, STAGED_MAPPING);
      await assert.rejects(submit(collection), { code: 'collection_busy' });
      assert.equal((await tasks.tasks.list(userId, { limit: 10 })).length, 1, 'a refused batch leaves no task');
      const run = await joined(await claim(), [2, 1]);
      assert.deepEqual(run.stage, { type: 'join', cut: { parts: 2 } });
      assert.deepEqual(await numbersOf(collection), [], 'parts of a running batch are not seen');
      assert.ok(await finish(run));
      const done = await now(collection.id);
      assert.deepEqual([done.status, done.counts?.locations, done.options], ['completed', 3, BATCH_OPTIONS]);
      assert.deepEqual([done.locationsConfidence, done.confidenceCounts], ['low', { high: 2, low: 1 }]);
      assert.deepEqual(done.confidenceReasons, ['1 plot fails the check area.']);
      assert.deepEqual(done.mapping, BATCH_MAPPING, 'how the batch read it replaces how it was staged');
      assert.deepEqual(await numbersOf(done), [0, 1, 2]);
      assert.deepEqual(await numbersOf(done, 1), [1, 2]);
      assert.deepEqual(await numbersOf(done, 2), [2]);
      assert.deepEqual(await numbersOf(done, 3), []);
    });

    it('report their completion once, with the addresses of what can be fetched', async () => {
      const collection = await add('Côte d’Ivoire');
      await submit(collection);
      await finish(await claim());
      const { rows } = await sql<{ body: string }>`select body from webhook_events`.execute(store.db);
      assert.equal(rows.length, 1);
      const { data } = JSON.parse(rows[0]!.body) as {
        data: { urls: Record<string, string>; collection_name: string; counts: object };
      };
      assert.equal(data.collection_name, 'Côte d’Ivoire');
      assert.deepEqual(data.counts, summaryOf(3).counts);
      const query = `filename=${collection.id}&monitoring_start=2020-12-31&monitoring_end=2025-12-31`;
      assert.equal(data.urls['export_eudr_dds'], `https://example.org/export_eudr_dds?${query}`);
      assert.equal(Object.keys(data.urls).length, 5);
      assert.equal((await sql`select 1 from emails`.execute(store.db)).rows.length, 0, 'no report was asked for');
    });

    it('send the report with the email that reports it', async () => {
      const collection = await add();
      await submit(collection, { ...BATCH_OPTIONS, eudrDds: true });
      const run = await claim();
      const zip = randomBytes(300_000);
      await tasks.queue.writeOutput(run, 0, zip.subarray(0, 200_000));
      await tasks.queue.writeOutput(run, 1, zip.subarray(200_000));
      const sha256 = createHash('sha256').update(zip).digest('hex');
      await finish(run, { report: { size: zip.length, sha256, digest: null } });
      const file = await store.db.selectFrom('email_attachments').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([file.size, file.sha256, file.content_type], [zip.length, sha256, 'application/zip']);
      const blob = (await store.blobs.get(file.blob_id))!;
      assert.ok(Buffer.concat(await Array.fromAsync(blob.bytes)).equals(zip));
      const email = await store.db.selectFrom('emails').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([email.recipient, email.state], ['ana@example.org', 'pending']);
      assert.match(email.body, new RegExp(`export_eudr_dds\\?filename=${collection.id}`));
      assert.equal(await collections.delete(userId, collection.id), 'deleted');
      assert.equal(await store.blobs.get(file.blob_id), null, 'the report goes with the collection');
    });

    it('keep what they have until another batch of them is completed', async () => {
      const collection = await add();
      await submit(collection);
      await finish(await joined(await claim(), [3]), { parts: 1 });
      const again = await submit(collection, { ...BATCH_OPTIONS, statistics: false, validateLocations: false });
      const second = await joined(await claim(), [5]);
      assert.deepEqual(pick(await now(collection.id)), ['processing', again.id]);
      assert.deepEqual(await numbersOf(collection), [0, 1, 2]);
      assert.equal((await now(collection.id)).options?.statistics, true);
      await finish(second, { parts: 1, ...summaryOf(5) });
      const done = await now(collection.id);
      assert.deepEqual(await numbersOf(done), [0, 1, 2, 3, 4]);
      assert.deepEqual([done.options?.statistics, done.counts?.locations], [false, 5]);
      assert.equal(done.locationsConfidence, null, 'no row of this batch was validated');
      const parts = async () => (await sql`select 1 from collection_parts`.execute(store.db)).rows.length;
      assert.equal(await parts(), 2, 'those of the first batch are kept to be compared');
      const kept = async () => {
        const { runs } = await now(collection.id);
        const records = runs.map(({ id }) => Array.fromAsync(collections.recordsOfRun(collection, id)));
        return (await Promise.all(records)).map(({ length }) => length);
      };
      assert.deepEqual(await kept(), [5, 3]);
      assert.deepEqual(
        done.runs.map(({ options, counts }) => [options.statistics, counts.locations]),
        [
          [false, 5],
          [true, 3],
        ],
      );
      const events = await sql`select 1 from webhook_events where body is not null`.execute(store.db);
      assert.equal(events.rows.length, 1, 'the second batch measured nothing, so it announces no statistics');
      await submit(collection);
      await finish(await joined(await claim(), [2]), { parts: 1 });
      assert.deepEqual([await kept(), await parts()], [[2, 5, 3], 3]);
      for (let batch = 3; batch < MAX_RUNS + 1; batch++) {
        await submit(collection);
        await finish(await joined(await claim(), [1]), { parts: 1 });
      }
      assert.deepEqual(
        [(await kept()).slice(-3), await parts()],
        [[1, 2, 5], MAX_RUNS],
        'the oldest goes where there are more',
      );
      const oldest = done.runs.at(-1)!.id;
      await assert.rejects(Array.fromAsync(collections.recordsOfRun(collection, oldest)), {
        code: 'collection_not_ready',
      });
    });

    it('stay completed when a later batch fails, and fail when the first does', async () => {
      const collection = await add();
      await submit(collection);
      await tasks.queue.fail(await joined(await claim(), [3]), {
        code: 'malformed_file',
        detail: 'The file ends early.',
      });
      const failed = await now(collection.id);
      assert.deepEqual(
        [failed.status, failed.error],
        ['failed', { code: 'malformed_file', detail: 'The file ends early.' }],
      );
      assert.equal((await sql`select 1 from collection_parts`.execute(store.db)).rows.length, 0);
      await submit(collection);
      await finish(await joined(await claim(), [3]), { parts: 1 });
      const task = await submit(collection);
      await cut(await claim(), [1, 1, 1]);
      assert.ok(await completePart(await claim()));
      const run = await claim();
      await tasks.tasks.cancel(userId, task.id);
      const after = await now(collection.id);
      assert.deepEqual([after.status, await numbersOf(after)], ['completed', [0, 1, 2]]);
      assert.deepEqual(after.error, { code: 'task_cancelled', detail: 'The batch was cancelled before it was done.' });
      assert.equal(await completePart(run), false, 'a part of a cancelled batch is not kept');
      assert.equal(await tasks.queue.claim(['collection_batch']), null, 'nor is another begun');
      assert.equal((await sql`select 1 from collection_parts`.execute(store.db)).rows.length, 1);
      const emails = await sql<{ subject: string; body: string }>`
        select subject, body from emails order by created_at`.execute(store.db);
      assert.deepEqual(
        emails.rows.map(({ subject }) => subject),
        ['Batch failed: lot 7', 'Batch cancelled: lot 7'],
      );
      assert.match(emails.rows[0]!.body, /Reason: +The file ends early\.\nProcessed: +3 locations\n/);
      const events = await sql<{ type: string; body: string | null }>`
        select type, body from webhook_events order by created_at`.execute(store.db);
      assert.deepEqual(
        events.rows.map(({ type, body }) => [type, body === null]),
        [
          ['batch_failed', true],
          ['batch_zonal_stats_complete', false],
          ['batch_failed', true],
        ],
        'nobody asked for batch_failed',
      );
    });

    it('have the confidence of a check while they are staged', async () => {
      const collection = await add();
      await submit(collection, null);
      await finish(await claim(), { parts: 0 });
      const checked = await now(collection.id);
      assert.deepEqual([checked.status, checked.locationsConfidence, checked.counts], ['staged', 'low', null]);
      const again = await submit(collection, null);
      await tasks.tasks.cancel(userId, again.id);
      assert.equal((await now(collection.id)).status, 'staged');
      const task = await submit(collection);
      await tasks.tasks.cancel(userId, task.id);
      assert.equal((await now(collection.id)).status, 'cancelled');
    });

    it('are deleted with everything of them, but not while a task works on them', async () => {
      const [collection, other] = [await add(), await add('other')];
      const task = await submit(collection);
      const run = await joined(await claim(), [3]);
      assert.equal(await collections.delete(userId, collection.id), 'busy');
      assert.equal(await collections.delete('somebody else', collection.id), 'unknown');
      await finish(run, { parts: 1 });
      assert.equal(await collections.delete(userId, collection.id), 'deleted');
      assert.equal(await collections.delete(userId, collection.id), 'unknown');
      await assert.rejects(numbersOf(collection), /was deleted or processed again while it was read/);
      assert.equal(await tasks.tasks.get(userId, task.id), null);
      assert.equal((await sql`select 1 from collection_parts`.execute(store.db)).rows.length, 0);
      assert.deepEqual(
        (await collections.list(userId, { limit: 10 })).map(({ id }) => id),
        [other.id],
      );
      assert.equal((await sql`select 1 from blobs`.execute(store.db)).rows.length, 1);
    });

    it('are deleted with the exports that they are part of, and no other', async () => {
      const [one, two, three] = [await add(), await add('two'), await add('three')];
      const exported = (...of: readonly Collection[]) => {
        const params = { collections: of.map(exportedCollection), period: null, at: '2026-11-27', locations: 1 };
        return tasks.tasks.submit({ kind: EXPORT_TASK, userId, params, input: null, idempotency: null });
      };
      const both = await exported(two, one);
      const other = await exported(three);
      assert.equal(await collections.delete(userId, one.id), 'deleted');
      assert.equal(await tasks.tasks.get(userId, both.id), null);
      assert.equal((await tasks.tasks.get(userId, other.id))?.id, other.id);
    });

    it('are found by the task that worked on them', async () => {
      const collection = await add();
      const task = await submit(collection);
      assert.equal((await collections.byTask(userId, task.id))?.id, collection.id);
      assert.equal(await collections.byTask('somebody else', task.id), null);
      assert.equal(await collections.byTask(userId, 'x'), null);
    });

    const loseLeases = async (): Promise<void> => {
      await sql`update tasks set lease_until = now() - interval '1 second' where lease_until is not null`.execute(
        store.db,
      );
      await tasks.queue.reapExpired();
    };

    it('let a run that lost its lease stage nothing and cut nothing', async () => {
      await submit(await add());
      const stalled = await claim();
      assert.ok(await stage(stalled, 0, 0, 2));
      await loseLeases();
      assert.equal(await stage(stalled, 1, 2, 2), false);
      const next = await claim();
      assert.equal(await stage(stalled, 1, 2, 2), false);
      assert.equal(await tasks.queue.kept!.share(stalled, new Uint8Array(1)), false);
      assert.equal(await tasks.queue.kept!.complement(stalled, 0, new Uint8Array(1)), false);
      const made = { parts: 1, total: 2, phase: 'measuring', cut: null };
      assert.equal(await tasks.queue.kept!.cut(stalled, made), false);
      assert.deepEqual(await tasks.queue.kept!.staged(next), [{ seq: 0, first: 0, count: 2 }]);
      assert.deepEqual([...(await tasks.queue.kept!.readStaged(next, 0))!], [0]);
    });

    it('have each of their parts once, whoever lost it or took it again', async () => {
      const collection = await add();
      const { id } = await submit(collection);
      const whole = await claim();
      assert.ok(await tasks.queue.kept!.share(whole, new Uint8Array([7])));
      await cut(whole, [2, 1]);
      assert.deepEqual((await tasks.tasks.get(userId, id))?.progress, { done: 0, total: 3 });
      const [stalled, other] = [await claim(), await claim()];
      assert.deepEqual([partOf(stalled).seq, partOf(other).seq], [0, 1]);
      assert.deepEqual([...(await tasks.queue.readInput(stalled, 0))!], [0]);
      assert.deepEqual([...(await tasks.queue.readInput(stalled, 1))!], [7]);
      assert.equal(await tasks.queue.readInput(stalled, 2), null);
      assert.equal(await tasks.queue.claim(['collection_batch']), null, 'what joins them waits for both');
      await loseLeases();
      assert.equal(await completePart(stalled), false);
      const [again, more] = [await claim(), await claim()];
      assert.ok(await completePart(again));
      assert.equal(await completePart(again), false);
      assert.deepEqual((await tasks.tasks.get(userId, id))?.progress, { done: 2, total: 3 });
      assert.equal((await tasks.tasks.list(userId, { limit: 10 })).length, 1, 'parts are no tasks of a user');
      assert.equal(await tasks.tasks.get(userId, more.id), null);
      assert.equal(await tasks.tasks.cancel(userId, more.id), null);
      assert.ok(await completePart(more));
      const last = await claim();
      assert.deepEqual([last.id, last.attempt], [id, 1]);
      await finish(last);
      assert.deepEqual(await numbersOf(await now(collection.id)), [0, 1, 2]);
      assert.equal((await sql`select 1 from tasks where parent is not null`.execute(store.db)).rows.length, 0);
    });

    it('are committed without waiting for the disk, and nothing that comes after them on a session is', async () => {
      const commits = async () =>
        Promise.all(
          Array.from({ length: 10 }, async () => {
            const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(store.db);
            return rows[0]?.synchronous_commit;
          }),
        );
      await submit(await add());
      await cut(await claim(), [1, 1]);
      const [one, other] = [await claim(), await claim()];
      assert.deepEqual(new Set(await commits()), new Set(['on']));
      assert.ok(await completePart(one));
      assert.ok(await completePart(other));
      assert.deepEqual(new Set(await commits()), new Set(['on']));
    });

    const prepared = (byte: number) => ({ prepared: new Uint8Array([byte]) });
    /** Parts that would still be there, or run, when their task has ended. */
    const partsLeft = async (): Promise<number> =>
      (
        await sql`select 1 from tasks where parent is not null and (expires_at is null or expires_at > now())`.execute(
          store.db,
        )
      ).rows.length;

    it('have parts prepared while the file is still cut, each once, and none that may be staged again', async () => {
      const { id } = await submit(await add());
      const whole = await claim();
      assert.equal(await tasks.queue.claim(['collection_batch']), null);
      assert.ok(await stage(whole, 0, 0, 2, true));
      assert.ok(await stage(whole, 1, 2, 1, true));
      assert.ok(await stage(whole, 2, 3, 1));
      const [first, second] = [await claim(), await claim()];
      assert.deepEqual(first.stage, { type: 'prepare', part: { seq: 0, first: 0, count: 2 } });
      assert.deepEqual(second.stage, { type: 'prepare', part: { seq: 1, first: 2, count: 1 } });
      assert.equal(await tasks.queue.claim(['collection_batch']), null);
      assert.deepEqual([...(await tasks.queue.readInput(first, 0))!], [0]);
      assert.ok(await tasks.queue.kept!.completePrepared(first, prepared(9)));
      assert.equal(await tasks.queue.kept!.completePrepared(first, prepared(8)), false);
      assert.equal(await tasks.queue.claim(['collection_batch']), null, 'it waits for the cut');
      assert.deepEqual((await tasks.tasks.get(userId, id))?.progress, { done: 0, total: null });
      // One is still prepared while the file is cut to its end.
      const made = { parts: 3, total: 4, phase: 'measuring', cut: null };
      assert.ok(await tasks.queue.kept!.share(whole, new Uint8Array([7])));
      assert.ok(await tasks.queue.kept!.cut(whole, made));
      const [zeroth, last] = [await claim(), await claim()];
      assert.deepEqual(zeroth.stage, { type: 'part', part: { seq: 0, first: 0, count: 2 }, isPrepared: true });
      assert.deepEqual(last.stage, { type: 'part', part: { seq: 2, first: 3, count: 1 }, isPrepared: false });
      assert.deepEqual([...(await tasks.queue.kept!.prepared(zeroth))!], [9]);
      assert.equal(await tasks.queue.kept!.prepared(last), null);
      assert.equal(await tasks.queue.readInput(zeroth, 2), null, 'it is no input');
      assert.ok(await tasks.queue.kept!.completePrepared(second, prepared(5)));
      const rest = await claim();
      assert.deepEqual(rest.stage, { type: 'part', part: { seq: 1, first: 2, count: 1 }, isPrepared: true });
      for (const run of [zeroth, last, rest]) assert.ok(await completePart(run));
      assert.deepEqual((await claim()).stage, { type: 'join', cut: null });
      assert.equal(await partsLeft(), 0);
    });

    it('are cut on with the parts that were prepared when whoever cut them or prepared them is gone', async () => {
      await submit(await add());
      const stalled = await claim();
      for (const seq of [0, 1, 2]) assert.ok(await stage(stalled, seq, seq, 1, true));
      const [first, second] = [await claim(), await claim()];
      assert.ok(await tasks.queue.kept!.completePrepared(first, prepared(9)));
      await loseLeases();
      assert.equal(await tasks.queue.kept!.completePrepared(second, prepared(8)), false);
      const next = await claim();
      assert.deepEqual([next.id, next.stage], [stalled.id, { type: 'whole' }], 'nothing is prepared while nobody cuts');
      assert.deepEqual(
        (await tasks.queue.kept!.staged(next)).map(({ seq }) => seq),
        [0, 1, 2],
      );
      const third = await claim();
      assert.deepEqual([third.stage?.type, partOf(third).seq], ['prepare', 2], 'each is prepared once at most');
      assert.equal(await tasks.queue.claim(['collection_batch']), null);
      await tasks.queue.giveBack(third);
      assert.ok(await tasks.queue.kept!.cut(next, { parts: 3, total: 3, phase: 'measuring', cut: null }));
      const stages = [await claim(), await claim(), await claim()].map(({ stage: at }) => at);
      assert.deepEqual(
        stages.map((at) => at?.type === 'part' && at.isPrepared),
        [true, false, false],
      );
    });

    it('leave nothing of what was prepared when they are cancelled or cannot be read to their end', async () => {
      for (const end of ['cancelled', 'failed'] as const) {
        const collection = await add(end);
        const { id } = await submit(collection);
        const whole = await claim();
        for (const seq of [0, 1, 2]) assert.ok(await stage(whole, seq, seq, 1, true));
        const [first, second] = [await claim(), await claim()];
        assert.ok(await tasks.queue.kept!.completePrepared(first, prepared(9)));
        const { lease_owner: owner } = await store.db
          .selectFrom('tasks')
          .select('lease_owner')
          .where('id', '=', second.id)
          .executeTakeFirstOrThrow();
        const detail = 'The file ends in the middle.';
        if (end === 'cancelled') await tasks.tasks.cancel(userId, id);
        else assert.ok(await tasks.queue.fail(whole, { code: 'malformed_file', detail }));
        const ended = (await tasks.tasks.get(userId, id))!;
        assert.deepEqual([ended.status, ended.error?.detail ?? null], [end, end === 'failed' ? detail : null]);
        assert.equal((await tasks.queue.renew([{ ...second, progress: null }])).size, 0);
        assert.equal(await tasks.queue.kept!.completePrepared(second, prepared(8)), false);
        // As if it had been locked at that moment, and so been passed over.
        await sql`update tasks set status = 'processing', expires_at = null, lease_owner = ${owner}, lease_until = now()
          where id = ${second.id}`.execute(store.db);
        assert.equal(await tasks.queue.kept!.completePrepared(second, prepared(8)), false);
        assert.equal(await stage(whole, 3, 3, 1, true), false);
        assert.equal(await tasks.queue.claim(['collection_batch']), null);
        assert.equal(await partsLeft(), 0);
        assert.deepEqual(await numbersOf(await now(collection.id)), []);
        await tasks.queue.deleteExpired();
        assert.equal((await sql`select 1 from tasks where parent is not null`.execute(store.db)).rows.length, 0);
      }
    });

    it('fail with the first of their parts that fails, and leave no other waiting', async () => {
      const { id } = await submit(await add());
      await cut(await claim(), [1, 1, 1]);
      assert.ok(await completePart(await claim()));
      const [bad, other] = [await claim(), await claim()];
      assert.ok(await tasks.queue.fail(bad, { code: 'internal', detail: 'It broke.' }));
      const failed = (await tasks.tasks.get(userId, id))!;
      assert.deepEqual([failed.status, failed.error?.detail], ['failed', 'It broke.']);
      assert.equal(await completePart(other), false);
      assert.equal(await tasks.queue.claim(['collection_batch']), null);
      assert.equal((await tasks.queue.renew([{ ...other, progress: null }])).size, 0);
    });

    it('let a small one of the same user begin before the many parts of a large one', async () => {
      await submit(await add());
      await cut(await claim(), [1, 1, 1, 1]);
      const [first, second] = [await claim(), await claim()];
      const { id } = await submit(await add('small'));
      assert.deepEqual([partOf(first).seq, partOf(second).seq], [0, 1]);
      const next = await claim();
      assert.equal(next.id, id);
      assert.equal(partOf(await claim()).seq, 2);
    });

    it('are worked on past any number of crashes as long as each attempt keeps something', async () => {
      const collection = await add();
      const task = await submit(collection, null, 'keeps');
      const runner = run({ maxRuntimeS: 60 });
      try {
        const { status, attempt } = await ended(task.id);
        assert.deepEqual([status, attempt], ['completed', 5]);
      } finally {
        await runner.stop(0);
      }
      const results = await Array.fromAsync((await tasks.tasks.results(userId, task.id))!);
      const wanted = Array.from({ length: 10 }, (_, seq) => `part ${seq} after ${seq - (seq % 2)};`);
      assert.equal(Buffer.concat(results).toString(), wanted.join(''));
    });

    it('are worked on past the time limit of a run as long as each run keeps something', async () => {
      const task = await submit(await add(), null, 'keepsSlowly', { ms: 700 });
      // Long enough for a thread to start on a busy machine.
      const runner = run({ maxRuntimeS: 2.5 });
      try {
        const { status, attempt } = await ended(task.id);
        assert.equal(status, 'completed');
        assert.ok(attempt > 1, `attempt ${attempt}`);
        const slow = await submit(await add(), null, 'keepsSlowly', { ms: 60_000 });
        const failed = await ended(slow.id);
        assert.deepEqual([failed.status, failed.attempt], ['failed', 1]);
        assert.match(failed.error?.detail ?? '', /longer than the 2.5 s/);
      } finally {
        await runner.stop(0);
      }
    });

    it('stand in the queue with their parts, with who works on them, and with why they failed', async () => {
      const { showQueue } = createQueueViewer(store.db);
      assert.deepEqual(await showQueue(), { kinds: [], running: [], waiting: [], failed: [] });
      const { id } = await submit(await add());
      const [waiting] = (await showQueue()).waiting;
      assert.deepEqual([waiting?.id, waiting?.user_id, waiting?.parts], [id, userId, null]);
      await cut(await claim(), [1, 1, 1]);
      const part = await claim();
      const other = await submit(await add('other'));
      const now = await showQueue();
      assert.deepEqual(
        now.running.map((run) => [run.id, run.part, run.worker, run.attempt, run.is_lost]),
        [[id, 0, `${hostname()} ${process.pid}`, 1, false]],
      );
      assert.deepEqual(
        now.waiting.map((task) => [task.id, task.parts]),
        [
          [id, 2],
          [other.id, null],
        ],
      );
      assert.deepEqual([...Value.Errors(Queue, now)], [], 'what GET /queue says it is');
      const [kind] = now.kinds;
      assert.ok((kind?.oldest_waiting_s ?? -1) >= 0);
      const counts = [kind?.waiting, kind?.running, kind?.parts_waiting, kind?.parts_running, kind?.failed];
      assert.deepEqual(counts, [1, 0, 2, 1, 0]);
      await tasks.queue.fail(part, { code: 'internal', detail: 'It broke.' });
      const after = await showQueue();
      assert.deepEqual(
        after.failed.map((task) => [task.id, task.code, task.detail]),
        [[id, 'internal', 'It broke.']],
      );
      assert.deepEqual([...Value.Errors(Queue, after)], []);
      assert.deepEqual([after.running, after.kinds[0]?.parts_waiting], [[], 0]);
    });

    it('are counted by their status', async () => {
      await add();
      await submit(await add());
      assert.deepEqual(await collections.count(), { staged: 1, processing: 1 });
    });
  });
}

describe('the bytes of a part', () => {
  it('hold any text of a record', async () => {
    const odd = { ...record(1, 'a\u0000b\n\u2028 “€”'), problem: 'line\nbreak' };
    const lines = [record(0, 'x'), odd].map((one) => JSON.stringify(one));
    assert.deepEqual(await unpackRecords(await packRecords(lines)), [record(0, 'x'), odd]);
    assert.deepEqual(await unpackRecords(await packRecords([])), []);
  });
});

function record(number: number, by: string): PlotRecord {
  return {
    number,
    locationType: 'plot',
    feature: { type: 'Feature', geometry: null, properties: { by } },
    confidence: 'high',
    statistics: null,
    problem: null,
  };
}

function summaryOf(locations: number): PartSummary {
  return {
    counts: { locations, plots: locations, facilities: 0, measured: locations, problems: 0 },
    confidence: { high: 2, low: 1 },
    reasons: { 'plots fail the check area': 1 },
  };
}

function pick({ status, taskId }: Collection): readonly unknown[] {
  return [status, taskId];
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 70_001) yield bytes.subarray(from, from + 70_001);
}
