import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { PlotRecord } from '../../src/collections/plot-record.ts';
import { createCollectionStore } from '../../src/db/collections/create-collections.ts';
import { packRecords } from '../../src/db/collections/pack-records.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openTasks, type OpenedTasks } from '../../src/db/tasks/open-tasks.ts';
import { createWatchStore } from '../../src/db/watches/create-watches.ts';
import { watchRoutes } from '../../src/http/routes/collections/watches.ts';
import type { Task } from '../../src/jobs/task.ts';
import { createLog } from '../../src/log.ts';
import { startWatcher } from '../../src/service/watches/start-watcher.ts';
import { createWatchService } from '../../src/service/watches/watches.ts';
import { BATCH_OPTIONS, madeUpRecord, madeUpStatistics, measured } from '../memory/collections.ts';
import { testServer } from '../memory/test-server.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const NO_LOSS = madeUpStatistics({
  losses: [measured({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] as const })],
});

interface Run {
  readonly state: string;
  readonly counts: Readonly<Record<string, number | null>> | null;
}
interface RunDetail extends Run {
  readonly changes: readonly object[];
  readonly only_after_not_cleared: readonly {
    readonly plot: string;
    readonly after: { readonly eudr_status: string };
  }[];
}

for (const engine of testEngines())
  describe(`plots of a watched collection on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let tasks: OpenedTasks;
    let server: ReturnType<typeof testServer>;
    before(async () => {
      database = await engine.create();
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 4, log });
      tasks = await openTasks(store, { maxQueued: 100, retentionDays: 7 });
      const collections = createCollectionStore(store);
      const watches = createWatchService({ store: createWatchStore(store), collections, tasks: tasks.tasks });
      server = testServer({ credentials: store.credentials, routes: [watchRoutes(watches)] });
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
      await store?.close();
      await database?.drop();
    });

    async function collectionOf(userId: string, records: readonly PlotRecord[]): Promise<string> {
      const id = randomUUID();
      const file = { name: 'lot.csv', size: 3, sha256: 'f'.repeat(64) };
      const added = { id, userId, name: 'lot', description: '', file, reading: {}, mapping: [], idempotency: null };
      await createCollectionStore(store).add(added, async function* () {
        yield Buffer.from('abc');
      });
      await process(id, records);
      return id;
    }
    /** As a batch leaves the collection. */
    async function process(id: string, records: readonly PlotRecord[]): Promise<void> {
      const run = randomUUID();
      const bytes = await packRecords(records.map((record) => JSON.stringify(record)));
      const count = records.length;
      await store.db
        .insertInto('collection_parts')
        .values({ collection_id: id, run, seq: 0, first_number: 0, count, summary: '{}', bytes })
        .execute();
      const counts = { locations: count, plots: count, facilities: 0, measured: count, problems: 0 };
      const values = {
        status: 'completed',
        run,
        counts: JSON.stringify(counts),
        options: JSON.stringify(BATCH_OPTIONS),
      };
      await store.db
        .updateTable('collections')
        .set({ ...values, completed_at: sql<Date>`clock_timestamp()` } as never)
        .where('id', '=', id)
        .execute();
    }
    /** Lets one run of each watch begin and end, where the batch finds what the collection holds; gives the events it makes. */
    async function watchOnce(): Promise<readonly Record<string, unknown>[]> {
      const events: Record<string, unknown>[] = [];
      const batch = { id: randomUUID(), status: 'completed' } as Task;
      const watcher = startWatcher({
        store: createWatchStore(store),
        collections: createCollectionStore(store),
        tasks: { submit: async () => batch, get: async () => batch },
        data: { catalogue: [], refresh: async () => {} },
        recordCompletion: async (_trx, { data }) => events.push(data as Record<string, unknown>) > 0,
        address: () => 'http://firstmile.example',
        log,
        everyMs: 3_600_000,
      });
      for (;;) {
        const { rows } = await sql<{ open: boolean }>`select exists (select from collection_watches w where not exists
          (select from collection_watch_runs r where r.collection_id = w.collection_id and r.state <> 'measuring'))
          as open`.execute(store.db);
        if (!rows[0]!.open) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await watcher.stop(10_000);
      return events;
    }

    it('that take the place of others are reported as new, with an event and an email', async () => {
      const { authorization, userId } = await server.login();
      const ask = async <T>(method: 'GET' | 'POST', path: string): Promise<T> => {
        const answer = await server.app.inject({ method, url: path, headers: { authorization } });
        assert.equal(answer.statusCode, 200, answer.body);
        return answer.json() as T;
      };
      const clear = { statistics: NO_LOSS };
      const id = await collectionOf(userId, [madeUpRecord(0, { ...clear, lon: 1 }), madeUpRecord(1, clear)]);
      await ask('POST', `/collections/${id}/watch`);
      // By hand, with another mapping: another plot in the first place, two at the end.
      await process(id, [
        madeUpRecord(0, { lon: 2 }),
        madeUpRecord(1, clear),
        madeUpRecord(2, { lon: 3 }),
        madeUpRecord(3, { ...clear, lon: 4 }),
      ]);
      const [event, ...others] = await watchOnce();
      assert.deepEqual(others, []);
      const counts = {
        plots: 1,
        unchanged: 1,
        changed: 0,
        worse: 0,
        better: 0,
        not_measured: 0,
        newly_not_measured: 0,
        only_before: 1,
        only_after: 3,
        only_after_not_cleared: 2,
      };
      assert.deepEqual([event!['outcome'], event!['counts'], event!['changes']], ['changed', counts, []]);
      const run = await ask<RunDetail>('GET', `/collections/${id}/watch/runs/1`);
      assert.deepEqual([run.state, run.counts, run.changes], ['changed', counts, []]);
      assert.deepEqual(
        run.only_after_not_cleared.map(({ plot, after: found }) => [plot, found.eudr_status]),
        [
          ['P0', 'deforestation_found'],
          ['P2', 'deforestation_found'],
        ],
      );
      assert.deepEqual(
        event!['only_after_not_cleared'],
        run.only_after_not_cleared.map((one, i) => ({ ...one, number: i * 2 })),
      );
      const emails = await store.db.selectFrom('emails').selectAll().where('user_id', '=', userId).execute();
      assert.equal(emails.length, 1);
    });

    it('of runs that did not count new and missing ones are not shown as having none', async () => {
      const { authorization, userId } = await server.login();
      const id = await collectionOf(userId, [madeUpRecord(0)]);
      const old = { plots: 1, unchanged: 1, changed: 0, worse: 0, better: 0, not_measured: 0, newly_not_measured: 0 };
      await store.db
        .insertInto('collection_watch_runs')
        .values({
          id: randomUUID(),
          collection_id: id,
          number: 1,
          state: 'unchanged',
          datasets: '[]',
          counts: JSON.stringify(old),
        })
        .execute();
      const get = async <T>(path: string): Promise<T> => {
        const answer = await server.app.inject({ method: 'GET', url: path, headers: { authorization } });
        assert.equal(answer.statusCode, 200, answer.body);
        return answer.json() as T;
      };
      const counts = { ...old, only_before: null, only_after: null, only_after_not_cleared: null };
      const { runs } = await get<{ runs: readonly Run[] }>(`/collections/${id}/watch`);
      assert.deepEqual(runs[0]!.counts, counts);
      const run = await get<RunDetail>(`/collections/${id}/watch/runs/1`);
      assert.deepEqual([run.counts, run.only_after_not_cleared], [counts, []]);
    });
  });
