import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createLog } from '../../src/log.ts';
import type { Collection } from '../../src/collections/collection.ts';
import type { PlotRecord } from '../../src/collections/plot-record.ts';
import { collectionHooks } from '../../src/service/collections/outcome.ts';
import { BATCH_TASK, type CollectionTaskParams } from '../../src/service/collections/collection-task.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from '../../src/service/locations/location-task.ts';
import { createCollectionStore, type CollectionStore } from '../../src/db/collections/create-collections.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openTasks, type OpenedTasks } from '../../src/db/tasks/open-tasks.ts';
import { startTaskRunner } from '../../src/jobs/start-task-runner.ts';
import { BATCH_OPTIONS } from '../memory/collections.ts';
import { oneEngine, type TestDatabase } from './engines.ts';
import { runs } from '../property-runs.ts';
import type { CrashingData } from './set-aside-thread.fixture.ts';

const log = createLog({ level: 'silent', json: true });
const THREAD = new URL('./set-aside-thread.fixture.ts', import.meta.url);
/** More than the first part holds. */
const ROWS = 60;
const latitudeOf = (row: number): number => 1 + row / 100;

const LOCATIONS = {
  locationType: null,
  commodity: null,
  country: null,
  mapping: {},
  geocode: false,
  crs: null,
  sheets: null,
} as const;
const FACILITY = {
  commodity: null,
  commodityText: null,
  commodityRadiusM: 5_000,
  checkTimeoutMs: 1_000,
  checkRoad: true,
} as unknown as CollectionTaskParams['reading']['facility'];

function fileOf(noteOf: (row: number) => string): Uint8Array {
  const rows = Array.from({ length: ROWS }, (_, i) => `p${i},${latitudeOf(i)},${18 + i / 100},1,${noteOf(i)}`);
  return new TextEncoder().encode(['name,lat,lon,area_ha,note', ...rows].join('\n'));
}

interface Warned {
  readonly name: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

for (const engine of oneEngine()) {
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
      tasks = await openTasks(store, { maxQueued: 10, retentionDays: 7, ...hooks });
      userId = (await store.credentials.addUser('ana@example.org', null)).id;
    });
    afterEach(async () => {
      await store.db.deleteFrom('collections').execute();
      await store.db.deleteFrom('tasks').execute();
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    async function submit(
      locationType: 'plot' | 'facility',
      validateLocations: boolean,
      noteOf: (row: number) => string = () => '',
    ): Promise<string> {
      const bytes = fileOf(noteOf);
      const id = randomUUID();
      const file = { name: 'lot.csv', size: bytes.length, sha256: 'f'.repeat(64) };
      const added = { id, userId, name: 'lot', description: '', file, reading: {}, mapping: [], idempotency: null };
      const { createdAt } = await collections.add(added, async function* () {
        yield bytes;
      });
      const reading = {
        locations: { ...LOCATIONS, locationType },
        facility: FACILITY,
      } as CollectionTaskParams['reading'];
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

    /** A batch whose worker has crashed on these steps. */
    async function crashed(steps: Readonly<Record<string, number>>): Promise<{ id: string; taskId: string }> {
      const id = await submit('plot', false);
      const { taskId } = (await collections.get(userId, id))!;
      for (const [step, crashes] of Object.entries(steps))
        for (let crash = 1; crash <= crashes; crash++) {
          const claimed = (await tasks.queue.claim([BATCH_TASK]))!;
          assert.equal(await tasks.queue.reportCrash(claimed, step), 'again');
        }
      return { id, taskId: taskId! };
    }

    async function ended(id: string): Promise<Collection> {
      await work(id, { crash: 'exit', latitudes: [] });
      return (await collections.get(userId, id))!;
    }

    /** Works on the batch until it is completed. */
    async function run(id: string, threadData: CrashingData): Promise<readonly PlotRecord[]> {
      await work(id, threadData);
      const collection = (await collections.get(userId, id))!;
      assert.equal(collection.status, 'completed', JSON.stringify(collection.error));
      return Array.fromAsync(collections.records(collection));
    }

    async function work(id: string, threadData: CrashingData): Promise<void> {
      await withRunner(threadData, async () => (await collections.get(userId, id))!.status !== 'processing');
    }

    async function withRunner(threadData: CrashingData, isDone: () => Promise<boolean>): Promise<void> {
      const common = { threadEntry: THREAD, log, maxRuntimeS: 120, graceMs: 100, concurrency: 1, threadMemoryMb: 64 };
      const runner = startTaskRunner({
        queue: tasks.queue,
        kinds: [BATCH_TASK, NORMALIZE_TASK, VALIDATE_TASK],
        threadData,
        ...common,
      });
      try {
        while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
      } finally {
        await runner.stop(0);
      }
    }

    function check(records: readonly PlotRecord[], bad: readonly number[]): void {
      assert.deepEqual(
        records.map(({ feature }) => feature.properties['name']),
        Array.from({ length: ROWS }, (_, i) => `p${i}`),
      );
      checkPlaces(records, bad);
    }

    function checkPlaces(records: readonly PlotRecord[], bad: readonly number[]): void {
      assert.deepEqual(
        records.map(({ number }) => number),
        records.map((_, i) => i),
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
        { numRuns: runs(5, 2), examples: [[ROWS - 1]] },
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

    it('is set aside where it crashes while it is normalised, with its own columns, validated or not', async () => {
      for (const [bad, validate] of [
        [[0], false],
        [[32, ROWS - 1], true],
      ] as const) {
        const id = await submit('plot', validate, (row) => `note ${row}`);
        const records = await run(id, { crash: 'exit', during: 'normalizing', latitudes: bad.map(latitudeOf) });
        checkPlaces(records, bad);
        for (const number of bad) {
          const { source, name, source_row: row } = records[number]!.feature.properties;
          const note = (source as Record<string, unknown>)['note'];
          assert.deepEqual([note, name, row], [`note ${number}`, null, number + 2]);
        }
        assert.equal((await collections.get(userId, id))?.counts?.problems, bad.length);
      }
    });

    it('is set aside where it crashes while geometries are compared, and the others are compared', async () => {
      const id = await submit('plot', true);
      const records = await run(id, { crash: 'heap', during: 'comparing', latitudes: [latitudeOf(40)] });
      check(records, [40]);
      const apart = records.filter(({ earlier }) => earlier === undefined).map(({ number }) => number);
      assert.deepEqual(apart, [40]);
    });

    it('leaves the rows before it, and one that says what was not read, where the reader crashes on it', async () => {
      const text = 'the reader crashes here';
      const id = await submit('plot', true, (row) => (row === 50 ? text : ''));
      const records = await run(id, { crash: 'exit', latitudes: [], text });
      // The heading is a row of the file, and was read as well.
      const read = 50;
      assert.equal(records.length, read + 1);
      const rest = records.at(-1)!;
      checkPlaces(records.slice(0, -1), []);
      assert.deepEqual([rest.number, rest.confidence, rest.feature.geometry], [read, null, null]);
      const problem =
        'Set aside: reading on ended the worker process 2 times; nothing of the file after row 51 was read.';
      assert.equal(rest.problem, problem);
      const { warnings } = rest.feature.properties as unknown as Warned;
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['unread_rows'],
      );
      const { counts, confidenceReasons } = (await collections.get(userId, id))!;
      assert.deepEqual([counts?.locations, counts?.problems], [read + 1, 1]);
      assert.ok(
        confidenceReasons?.some((reason) => reason.startsWith('1 location stands for rows that were not read')),
      );
    });

    it('is set aside by tasks that normalise or validate a file without a collection', async () => {
      const bad = [3];
      for (const [kind, during] of [
        [NORMALIZE_TASK, 'normalizing'],
        [VALIDATE_TASK, 'processing'],
      ] as const) {
        const checks = kind === VALIDATE_TASK ? { facility: FACILITY, repair: false } : null;
        const options = { ...LOCATIONS, locationType: 'facility' };
        const params = { options, checks, format: 'geojson', features: ROWS };
        const input = (async function* () {
          yield fileOf(() => '');
        })();
        const { id } = await tasks.tasks.submit({ kind, userId, params, input, idempotency: null });
        const latitudes = bad.map(latitudeOf);
        const isDone = async () => (await tasks.tasks.get(userId, id))?.status !== 'processing';
        await withRunner({ crash: 'exit', during, latitudes }, isDone);
        const results = await Array.fromAsync((await tasks.tasks.results(userId, id))!);
        const { features } = JSON.parse(Buffer.concat(results).toString()) as {
          features: { properties: Warned & { processing?: string } }[];
        };
        const aside = features.flatMap(({ properties: { warnings, processing } }, i) =>
          warnings.some(({ code }) => code === 'set_aside') ? [[i, processing]] : [],
        );
        const processing = checks === null ? undefined : 'not processed: set aside';
        assert.deepEqual([features.length, aside], [ROWS, bad.map((number) => [number, processing])]);
      }
    });

    it('fails the batch with a reason where nothing can be read', async () => {
      const { id } = await crashed({ 'reading row 1 of table 1': 2 });
      const { error } = await ended(id);
      assert.match(error?.detail ?? '', /Reading the file ended its worker process 2 times before its first location/);
      const other = await crashed({ 'opening the file': 2 });
      assert.match((await ended(other.id)).error?.detail ?? '', /opening the file ended its worker process 2 times/);
    });

    it('is not blamed for ends of the whole process while it was worked on', async () => {
      const id = await submit('plot', false);
      for (let end = 1; end <= 4; end++) {
        assert.ok((await tasks.queue.claim([BATCH_TASK])) !== null);
        await store.db
          .updateTable('tasks')
          .set({ lease_until: new Date(0) })
          .execute();
        assert.equal(await tasks.queue.reapExpired(), 1);
      }
      const claimed = (await tasks.queue.claim([BATCH_TASK]))!;
      assert.deepEqual(await tasks.queue.kept!.crashes(claimed), { count: 0, bySteps: {} });
      await tasks.queue.giveBack(claimed);
      check(await run(id, { crash: 'exit', latitudes: [] }), []);
    });
  });
}
