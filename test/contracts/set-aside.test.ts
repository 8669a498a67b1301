import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createLog } from '../../src/log.ts';
import type { PlotRecord } from '../../src/collections/plot-record.ts';
import { collectionHooks } from '../../src/service/collections/outcome.ts';
import { BATCH_TASK, type CollectionTaskParams } from '../../src/service/collections/collection-task.ts';
import { createCollectionStore, type CollectionStore } from '../../src/db/collections/create-collections.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openTasks, type OpenedTasks } from '../../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../../src/jobs/start-task-runner.ts';
import { BATCH_OPTIONS } from '../memory/collections.ts';
import { testEngines, type TestDatabase } from './engines.ts';
import type { CrashingData } from './set-aside-thread.fixture.ts';

const log = createLog({ level: 'silent', json: true });
const THREAD = new URL('./set-aside-thread.fixture.ts', import.meta.url);
/** More than the first part holds. */
const ROWS = 60;
const latitudeOf = (row: number): number => 1 + row / 100;

interface Warned {
  readonly name: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

for (const engine of await testEngines()) {
  describe(`a location that crashes the thread of its batch, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let collections: CollectionStore;
    let tasks: OpenedTasks;
    let userId = '';

    before(async () => {
      database = await engine.create();
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 10, log });
      collections = createCollectionStore(store);
      const hooks = collectionHooks(
        () => 'https://example.org',
        async () => true,
      );
      tasks = await openTasks(store, { maxQueued: 10, retentionDays: 7, log, ...hooks });
      userId = (await store.credentials.addUser('ana@example.org', null)).id;
    });
    afterEach(async () => {
      await store.db.deleteFrom('collections').execute();
      await store.db.deleteFrom('tasks').execute();
    });
    after(async () => {
      await tasks?.close();
      await store?.close();
      await database?.drop();
    });

    async function submit(locationType: 'plot' | 'facility', validateLocations: boolean): Promise<string> {
      const rows = Array.from({ length: ROWS }, (_, i) => `p${i},${latitudeOf(i)},${18 + i / 100},1`);
      const bytes = new TextEncoder().encode(['name,lat,lon,area_ha', ...rows].join('\n'));
      const id = randomUUID();
      const file = { name: 'lot.csv', size: bytes.length, sha256: 'f'.repeat(64) };
      const added = { id, userId, name: 'lot', description: '', file, reading: {}, mapping: [], idempotency: null };
      const { createdAt } = await collections.add(added, async function* () {
        yield bytes;
      });
      const reading = {
        locations: {
          locationType,
          commodity: null,
          country: null,
          mapping: {},
          geocode: false,
          crs: null,
          sheets: null,
        },
        facility: {
          commodity: null,
          commodityText: null,
          commodityRadiusM: 5_000,
          checkTimeoutMs: 1_000,
          checkRoad: true,
        },
      } as unknown as CollectionTaskParams['reading'];
      const params: CollectionTaskParams = {
        collectionId: id,
        collection: { id, userId, name: 'lot', description: '', file, createdAt: createdAt.toISOString() },
        reading,
        email: null,
        options: { ...BATCH_OPTIONS, cropType: null, validateLocations },
      };
      const { blobId } = (await collections.source(userId, id))!;
      await tasks.tasks.submit({ kind: BATCH_TASK, userId, params, input: { blobId }, idempotency: null });
      return id;
    }

    /** Works on the batch until it has ended. */
    async function run(id: string, threadData: CrashingData): Promise<readonly PlotRecord[]> {
      const common = { threadEntry: THREAD, log, maxRuntimeS: 120, graceMs: 100, concurrency: 1, threadMemoryMb: 64 };
      const runner = startTaskRunner({ queue: tasks.queue, kinds: [BATCH_TASK], threadData, ...common });
      try {
        for (;;) {
          const { status, taskId } = (await collections.get(userId, id))!;
          if (status !== 'processing') break;
          assert.equal((await tasks.tasks.get(userId, taskId!))?.error ?? null, null);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      } finally {
        await runner.stop(0);
      }
      const collection = (await collections.get(userId, id))!;
      assert.equal(collection.status, 'completed', JSON.stringify(collection.error));
      return Array.fromAsync(collections.records(collection));
    }

    function check(records: readonly PlotRecord[], bad: readonly number[]): void {
      assert.deepEqual(
        records.map(({ number, feature }) => [number, feature.properties['name']]),
        Array.from({ length: ROWS }, (_, i) => [i, `p${i}`]),
      );
      for (const { number, problem, statistics, confidence, feature } of records) {
        const { warnings } = feature.properties as unknown as Warned;
        const warning = warnings.find(({ code }) => code === 'set_aside');
        if (!bad.includes(number)) {
          assert.deepEqual([warning, problem], [undefined, null]);
          continue;
        }
        const words = 'ended its worker process 2 times and was not processed';
        assert.ok(warning?.message.includes(words) && problem?.includes(words), `${warning?.message} ${problem}`);
        assert.deepEqual([statistics, confidence, feature.geometry], [null, null, null]);
      }
    }

    it('is set aside wherever it stands, and every other location is processed once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: ROWS - 1 }), async (bad) => {
          const id = await submit('plot', false);
          const records = await run(id, { crash: 'exit', latitudes: [latitudeOf(bad)] });
          check(records, [bad]);
          assert.deepEqual(
            records.filter(({ statistics }) => statistics === null).map(({ number }) => number),
            [bad],
          );
          const { counts } = (await collections.get(userId, id))!;
          assert.deepEqual([counts?.locations, counts?.problems], [ROWS, 1]);
        }),
        { numRuns: 3, examples: [[0], [ROWS - 1]] },
      );
    });

    it('is set aside where it fills the heap of a batch that validates, as is its neighbour, and the summary says so', async () => {
      const id = await submit('plot', true);
      check(await run(id, { crash: 'heap', latitudes: [latitudeOf(20), latitudeOf(21)] }), [20, 21]);
      const { counts, confidenceReasons } = (await collections.get(userId, id))!;
      assert.equal(counts?.problems, 2);
      const sentence = '2 locations were set aside, because their worker process ended while it worked on them.';
      assert.ok(confidenceReasons?.includes(sentence), JSON.stringify(confidenceReasons));
    });

    it('is set aside where it crashes the check of a facility, and the other facilities have their score', async () => {
      const id = await submit('facility', true);
      const records = await run(id, { crash: 'exit', latitudes: [latitudeOf(7), latitudeOf(ROWS - 1)] });
      check(records, [7, ROWS - 1]);
      for (const { number, locationType, feature } of records) {
        assert.equal(locationType, 'facility');
        const isAside = number === 7 || number === ROWS - 1;
        assert.equal(typeof feature.properties['confidence_score'], isAside ? 'undefined' : 'number', String(number));
      }
      assert.equal((await collections.get(userId, id))?.counts?.problems, 2);
    });

    it('is not blamed for ends of the whole process while it was worked on', async () => {
      const id = await submit('plot', false);
      for (let end = 1; end <= 4; end++) {
        const claimed = (await tasks.queue.claim([BATCH_TASK]))!;
        assert.ok(await tasks.queue.kept!.begin(claimed, 5));
        await store.db
          .updateTable('tasks')
          .set({ lease_until: new Date(0) })
          .execute();
        assert.equal(await tasks.queue.reapExpired(), 1);
      }
      const claimed = (await tasks.queue.claim([BATCH_TASK]))!;
      assert.deepEqual(await tasks.queue.kept!.crashes(claimed), { count: 0, suspect: null });
      await tasks.queue.giveBack(claimed);
      check(await run(id, { crash: 'exit', latitudes: [] }), []);
    });
  });
}
