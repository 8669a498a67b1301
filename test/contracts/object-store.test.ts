import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createCollectionStore } from '../../src/db/collections/create-collections.ts';
import { resultsAsBlob } from '../../src/db/collections/record-outcome.ts';
import { openEmailQueue } from '../../src/db/email/create-email-queue.ts';
import { claimBucket } from '../../src/db/object-store/claim-bucket.ts';
import { moveResult, sweepObjects } from '../../src/db/object-store/keep-objects.ts';
import type { ObjectStore } from '../../src/db/object-store/object-store.ts';
import { openS3 } from '../../src/db/object-store/open-s3.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openTasks } from '../../src/db/tasks/open-tasks.ts';
import { Problem } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { startTestBucket, type TestBucket } from '../test-bucket.ts';
import { testServer } from '../memory/test-server.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });

async function* inPieces(bytes: Uint8Array, size = 70_001): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(bytes: AsyncIterable<Uint8Array> | null | undefined): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes!));
}

function openBucket({ url }: TestBucket, prefix = 'here/'): ObjectStore {
  const keys = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', sessionToken: null };
  const place = { ...keys, bucketUrl: `${new URL(url).origin}/files`, prefix };
  return openS3(place, { now: Date.now, wait: () => Promise.resolve(), silenceMs: 20_000 });
}

for (const engine of testEngines())
  describe(`files in a bucket, with the database ${engine.name}`, { skip: engine.skip }, () => {
    let bucket: TestBucket;
    let database: TestDatabase;
    let objects: ObjectStore;
    let store: Store;
    before(async () => {
      bucket = await startTestBucket();
      objects = openBucket(bucket);
      database = await engine.create();
      const { dataDir, databaseUrl } = database;
      store = await openStore({ dataDir, databaseUrl, objects, poolSize: 4, log });
    });
    afterEach(async () => {
      bucket.fault = () => null;
      await store.db.deleteFrom('tasks').execute();
      await sql`update object_sweep set due_at = now()`.execute(store.db);
      await sweepObjects(store.db, objects);
    });
    after(async () => {
      await store?.close();
      await objects?.close();
      await database?.drop();
      await bucket?.[Symbol.asyncDispose]();
    });

    const keys = async () => (await Array.fromAsync(objects.list(''))).map(({ key }) => key);
    const files = async () => (await keys()).filter((key) => key !== 'installation.json');
    const count = async (table: string) =>
      (await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(store.db)).rows[0].n;

    it('keeps blobs there and none of their bytes in the database', async () => {
      const bytes = randomBytes(1_000_001);
      const { id, size } = await store.blobs.put(inPieces(bytes));
      assert.equal(size, bytes.length);
      assert.ok((await all((await store.blobs.get(id))?.bytes)).equals(bytes));
      assert.equal(await count('blob_chunks'), 0);
      assert.deepEqual(await files(), [`blobs/${id}`]);
      assert.equal(await store.blobs.delete(id), true);
      assert.equal(await store.blobs.get(id), null);
      assert.equal(await sweepObjects(store.db, objects), 1);
      assert.deepEqual(await files(), []);
    });

    it('shows nothing of a blob before it is sealed, and nothing of one whose source or bucket failed', async () => {
      const { id } = await store.blobs.receive(inPieces(randomBytes(10)));
      assert.equal(await store.blobs.get(id), null);
      const failing = async function* () {
        yield randomBytes(10);
        throw new Error('the sender went away');
      };
      await assert.rejects(store.blobs.put(failing()), /went away/);
      bucket.fault = () => ({ status: 503, code: 'SlowDown' });
      await assert.rejects(store.blobs.put(inPieces(randomBytes(10))), Problem);
      bucket.fault = () => null;
      await store.blobs.delete(id);
      await sweepObjects(store.db, objects);
      assert.deepEqual(await files(), []);
      assert.equal(await count('blobs'), 0);
    });

    it('says when an object is damaged or gone, in place of giving what there is', async () => {
      const { id } = await store.blobs.put(inPieces(randomBytes(1000)));
      await objects.put(`blobs/${id}`, inPieces(randomBytes(1000)));
      const cause = (words: RegExp) => (error: Problem) => words.test((error.cause as Error).message);
      await assert.rejects(all((await store.blobs.get(id))?.bytes), cause(/damaged: its SHA-256/));
      await objects.delete(`blobs/${id}`);
      await assert.rejects(all((await store.blobs.get(id))?.bytes), cause(/has no bytes; wanted 1000/));
      await store.blobs.delete(id);
    });

    it('keeps an object in the list until it could be removed', async () => {
      const { id } = await store.blobs.put(inPieces(randomBytes(10)));
      await store.blobs.delete(id);
      bucket.fault = (line) => (line.startsWith('DELETE') ? { status: 403, code: 'AccessDenied' } : null);
      await assert.rejects(sweepObjects(store.db, objects), Problem);
      bucket.fault = () => null;
      assert.equal(await count('object_sweep'), 1);
      assert.equal(await sweepObjects(store.db, objects), 0, 'not at once again');
      await sql`update object_sweep set due_at = now()`.execute(store.db);
      assert.equal(await sweepObjects(store.db, objects), 1);
    });

    it('gives tasks the file in the bucket as their input', async () => {
      const bytes = randomBytes(4_500_000);
      const { id } = await store.blobs.put(inPieces(bytes));
      const { tasks, queue } = await openTasks(store, { maxQueued: 10, retentionDays: 7 });
      const userId = randomUUID();
      await tasks.submit({ kind: 'read', userId, params: {}, input: { blobId: id }, idempotency: null });
      const run = (await queue.claim(['read']))!;
      const pieces: Uint8Array[] = [];
      for (let piece; (piece = await queue.readInput(run, pieces.length)) !== null;) pieces.push(piece);
      assert.ok(Buffer.concat(pieces).equals(bytes));
      assert.equal(pieces.length, 3);
      await store.db.deleteFrom('tasks').execute();
      await store.blobs.delete(id);
    });

    /** A completed task with results of so many chunks of 256 KiB. */
    async function completed(chunks: number, type = 'application/json') {
      const all = await openTasks(store, { maxQueued: 10, retentionDays: 7 });
      const userId = randomUUID();
      const { id } = await all.tasks.submit({ kind: 'write', userId, params: {}, input: null, idempotency: null });
      const run = (await all.queue.claim(['write']))!;
      const bytes = randomBytes(chunks * 262_144 - 5);
      let seq = 0;
      for await (const piece of inPieces(bytes, 262_144)) await all.queue.writeOutput(run, seq++, piece);
      await all.queue.complete(run, { type, chunks, progress: null });
      return {
        bytes,
        id,
        userId,
        results: () => all.tasks.results(userId, id),
        link: (least: number) => all.tasks.resultLink(userId, id, least),
      };
    }

    it('moves large results there, also while they are read, and leaves small ones', async () => {
      const small = await completed(1);
      const large = await completed(5);
      const reading = (await large.results())![Symbol.asyncIterator]();
      const first = (await reading.next()).value as Uint8Array;
      assert.equal(await moveResult(store.db, objects), true);
      assert.equal(await moveResult(store.db, objects), false);
      assert.equal(await count('task_chunks'), 1);
      assert.equal((await files()).length, 1);
      const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => reading });
      assert.ok(Buffer.concat([first, ...(rest as Uint8Array[])]).equals(large.bytes));
      assert.ok((await all(await large.results())).equals(large.bytes));
      assert.ok((await all(await small.results())).equals(small.bytes));
      assert.equal(await sweepObjects(store.db, objects), 0);
      await store.db.deleteFrom('tasks').execute();
      assert.equal(await sweepObjects(store.db, objects), 1, 'the object goes with its task');
      assert.deepEqual(await files(), []);
    });

    it('moves archives of any size, and an empty one not at all', async () => {
      const archive = await completed(1, 'application/zip');
      const { tasks, queue } = await openTasks(store, { maxQueued: 10, retentionDays: 7 });
      const userId = randomUUID();
      const { id } = await tasks.submit({ kind: 'write', userId, params: {}, input: null, idempotency: null });
      const run = (await queue.claim(['write']))!;
      await queue.complete(run, { type: 'application/zip', chunks: 0, progress: null });
      assert.equal(await moveResult(store.db, objects), true);
      assert.equal(await moveResult(store.db, objects), false);
      assert.equal(await count('task_chunks'), 0);
      assert.equal((await files()).length, 1);
      assert.ok((await all(await archive.results())).equals(archive.bytes));
      assert.equal((await all(await tasks.results(userId, id))).length, 0);
    });

    it('moves the report of a collection there, which its email reads, and drops it with the collection', async () => {
      const collections = createCollectionStore(store);
      const [id, userId] = [randomUUID(), randomUUID()];
      const file = { name: 'a.csv', size: 3, sha256: 'f'.repeat(64) };
      const collection = {
        id,
        userId,
        name: 'lot',
        description: '',
        file,
        reading: {},
        mapping: [],
        idempotency: null,
      };
      await collections.add(collection, () => inPieces(Buffer.from('a,b')));
      const report = await completed(2);
      const blob = await store.db.transaction().execute(async (trx) => {
        const blobId = await resultsAsBlob(trx, { id: report.id, attempt: 1 }, report.bytes.length);
        await trx.updateTable('collections').set({ report_blob: blobId }).where('id', '=', id).execute();
        return blobId;
      });
      const { readBlob } = await openEmailQueue(store, randomUUID());
      const isWhole = async () => Buffer.from((await readBlob(blob))!).equals(report.bytes);
      assert.deepEqual([await isWhole(), await count('blob_chunks')], [true, 2]);
      assert.equal(await moveResult(store.db, objects), true);
      assert.equal(await moveResult(store.db, objects), false, 'a result this small stays');
      assert.equal(await count('blob_chunks'), 0);
      const key = (await files()).find((name) => name.startsWith(`blobs/${blob}-`));
      bucket.seen.length = 0;
      assert.equal(await isWhole(), true);
      assert.ok(
        bucket.seen.some((line) => line.startsWith('GET ') && line.endsWith(key!)),
        bucket.seen.join('\n'),
      );
      await objects.put(key!, inPieces(randomBytes(report.bytes.length)));
      await assert.rejects(readBlob(blob), Problem, 'it is compared with its checksum');
      assert.equal(await collections.delete(userId, id), 'deleted');
      assert.equal(await sweepObjects(store.db, objects), 2, 'the file and the report');
      assert.deepEqual(await files(), []);
    });

    it('gives a link to large results there, and to no others', async () => {
      const { bytes, id, userId, link } = await completed(4);
      assert.equal(await link(1), null, 'they are in the database still');
      await moveResult(store.db, objects);
      assert.equal(await link(bytes.length + 1), null);
      const answer = await fetch((await link(bytes.length))!);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${id}"`);
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));

      const { tasks } = await openTasks(store, { maxQueued: 10, retentionDays: 7 });
      for (const [limit, status] of [
        ['1', 303],
        ['0', 200],
        ['2', 200],
      ] as const) {
        await using server = testServer({ tasks }, { RESULT_LINK_MB: limit, INTERNAL_API_KEY: 'k'.repeat(32) });
        const headers = { 'x-internal-api-key': 'k'.repeat(32), 'x-user-id': userId };
        const results = await server.app.inject({ url: `/tasks/${id}/results`, headers });
        assert.equal(results.statusCode, status, results.body.slice(0, 200));
        if (status === 303) assert.equal((await fetch(String(results.headers.location))).status, 200);
      }
    });

    it('loses no result where moving it fails or its task is deleted meanwhile', async () => {
      const { bytes, results } = await completed(4);
      bucket.fault = () => ({ status: 500, code: 'InternalError' });
      await assert.rejects(moveResult(store.db, objects), Problem);
      assert.ok((await all(await results())).equals(bytes));
      bucket.fault = () => null;
      assert.equal(await moveResult(store.db, objects), false, 'it is left alone for a while');
      await sql`update tasks set moving_until = null`.execute(store.db);
      const deleting = {
        ...objects,
        put: async (...args: Parameters<ObjectStore['put']>) => {
          const put = await objects.put(...args);
          await store.db.deleteFrom('tasks').execute();
          return put;
        },
      };
      assert.equal(await moveResult(store.db, deleting), true);
      assert.equal(await sweepObjects(store.db, objects), 1);
      assert.deepEqual(await files(), []);
      await store.db.deleteFrom('object_sweep').execute();
    });

    it('is one bucket for one database, and no process goes without it', async () => {
      await assert.rejects(claimBucket(store.db, null), /lie in the bucket .*\/files\/here: set OBJECT_STORE_URL/);
      await assert.rejects(claimBucket(store.db, openBucket(bucket, 'other/')), /other has none of them/);
      const marker = JSON.stringify({ installation: randomUUID() });
      await objects.put('installation.json', inPieces(Buffer.from(marker)));
      await assert.rejects(claimBucket(store.db, objects), /holds the files of another database/);
      const { rows } = await sql<{ id: string }>`select id from installation`.execute(store.db);
      await objects.put('installation.json', inPieces(Buffer.from(JSON.stringify({ installation: rows[0].id }))));
      await claimBucket(store.db, objects);
      bucket.fault = () => ({ status: 403, code: 'AccessDenied' });
      await assert.rejects(claimBucket(store.db, objects), /403 AccessDenied: check AWS_ACCESS_KEY_ID/);
    });

    it('knows the bytes of a user wherever they lie', async () => {
      const { userId } = await completed(4);
      const { roomFor } = await import('../../src/db/stored-bytes.ts');
      const before = await roomFor(store.db, userId, 10_000_000);
      assert.equal(await moveResult(store.db, objects), true);
      assert.equal(await roomFor(store.db, userId, 10_000_000), before);
      assert.equal(before, 10_000_000 - (4 * 262_144 - 5));
    });
  });
