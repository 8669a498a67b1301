import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createCollectionReader } from '../../src/db/collections/read-collections.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { createLog } from '../../src/log.ts';
import { testEngines } from '../contracts/engines.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** Enough that the file is read for longer than another worker needs to begin. */
const PLOTS = 12_000;
/** Of a file that is not worked on to its end. */
const MORE_PLOTS = 30_000;
/** Enough for some parts. */
const FEWER_PLOTS = 3_000;
/** The promise, which leaves room for a busy machine: a lease is over after 8 s. */
const AGAIN_WITHIN_MS = 30_000;
const log = createLog({ level: 'error', json: true });
const KEY = 'internal-key-for-a-file-in-the-middle';

const postgres = testEngines().find(({ name }) => name === 'postgres')!;

describe('a file that several workers measure while one reads it', { skip: postgres.skip }, () => {
  let host: Awaited<ReturnType<typeof openHost>>;
  before(async () => {
    host = await openHost();
  });
  after(() => host?.[Symbol.asyncDispose]());

  it('has the records of one worker when all of them are killed meanwhile, one event and one email', async () => {
    await host.startWorkers(1);
    const wanted = await host.ended(await host.submit(madeUpPlots(PLOTS)));
    assert.deepEqual([wanted.status, wanted.records, wanted.events], ['completed', PLOTS, 1]);
    assert.deepEqual(wanted.emails, ['report']);
    await host.startWorkers(1);
    const id = await host.submit(madeUpPlots(PLOTS));
    assert.equal(await host.helped(id), 'preparing', 'the file was read before anybody could help');
    await host.killWorkers();
    await host.startWorkers(2);
    assert.deepEqual(await host.ended(id), wanted);
    assert.equal(await host.partsLeft(), 0);
  });

  it('has the part of a worker that is killed run again by another within 30 s', async () => {
    const { id, tookMs } = await host.killHolderOfPart(madeUpPlots(FEWER_PLOTS));
    assert.ok(tookMs < AGAIN_WITHIN_MS, `${tookMs} ms`);
    const { status, records, events, emails } = await host.ended(id);
    assert.deepEqual([status, records, events, emails], ['completed', FEWER_PLOTS, 1, ['report']]);
    assert.equal(await host.partsLeft(), 0);
    await host.startWorkers(1);
  });

  it('is cancelled in the middle, and leaves nothing', async () => {
    let id = await host.submit(madeUpPlots(MORE_PLOTS));
    // On a busy machine the file may be read before the other worker has had its turn: then a larger one.
    for (let plots = 2 * MORE_PLOTS; (await host.helped(id)) === 'too late'; plots *= 2) {
      assert.ok(plots <= 4 * MORE_PLOTS, 'the file was read before anybody could help');
      await host.cancel(id);
      await host.ended(id);
      id = await host.submit(madeUpPlots(plots));
    }
    await host.cancel(id);
    const { status, records, events, emails } = await host.ended(id);
    assert.deepEqual([status, records, events, emails], ['cancelled', 0, 0, ['batch_stopped']]);
    assert.equal(await host.partsLeft(), 0);
    const next = await host.ended(await host.submit(madeUpPlots(50)));
    assert.deepEqual([next.status, next.records], ['completed', 50]);
  });
});

interface End {
  readonly status: string;
  readonly error: string | null;
  readonly records: number;
  readonly digest: string;
  readonly events: number;
  /** What kind each email is that was put into the outbox for it; there is no mail server, so they wait there. */
  readonly emails: readonly string[];
}

/** A service that runs no tasks, on a database of its own, for worker processes to be started. */
async function openHost() {
  const database = await postgres.create();
  const url = database.databaseUrl!;
  const store = await openStore({ dataDir: database.dataDir, databaseUrl: url, poolSize: 2, log });
  const env = { DATABASE_URL: url, TASK_CONCURRENCY: '1' };
  const service = await runService({ env: { ...env, RUN_TASKS: 'off', INTERNAL_API_KEY: KEY } });
  const headers = { 'x-internal-api-key': KEY, 'x-user-id': 'ana', 'x-user-email': 'ana@example.org' };
  const workers: RunningProcess[] = [];
  const completions = async (): Promise<number> => {
    const events = store.db.selectFrom('webhook_events').where('type', '=', 'batch_zonal_stats_complete');
    return (await events.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow()).count;
  };
  const submit = async (file: Blob): Promise<string> => {
    const form = new FormData();
    form.set('file', file, 'made-up-plots.geojson');
    form.set('collection_name', 'made-up plots');
    form.set('crop_type', 'palm');
    form.set('validate_locations', 'true');
    form.set('eudr_dds', 'true');
    const answer = await fetch(`${service.url}/batch_process`, { method: 'POST', body: form, headers });
    const body = (await answer.json()) as { collection_id: string };
    assert.equal(answer.status, 202, JSON.stringify(body));
    return body.collection_id;
  };
  const outbox = async (): Promise<readonly string[]> => {
    const emails = await store.db.selectFrom('emails').select('key').orderBy('created_at').execute();
    return emails.map(({ key }) => key.split('/')[0]!);
  };
  /** Of the batches before. */
  let completedBefore = 0;
  let emailedBefore = 0;
  return {
    async startWorkers(count: number): Promise<void> {
      const started = Array.from({ length: count }, () => runService({ env, command: 'worker' }));
      workers.push(...(await Promise.all(started)));
    },
    async killWorkers(): Promise<void> {
      await Promise.all(workers.splice(0).map((worker) => worker[Symbol.asyncDispose]()));
    },
    submit,
    /**
     * Submits a file to the workers and kills the one that read it while it runs a part: the collection, and the time from the kill to
     * the next attempt of that part.
     */
    async killHolderOfPart(file: Blob): Promise<{ readonly id: string; readonly tookMs: number }> {
      const id = await submit(file);
      const owner = await found(async () => (await wholeOf(store, id)).lease_owner);
      // Its log says which of the processes has that lease.
      const { id: task } = await wholeOf(store, id);
      const hasCut = ({ output }: RunningProcess): boolean =>
        output()
          .err.split('\n')
          .some((line) => line.includes(task) && line.includes('"task cut into parts"'));
      const reader = await found(async () => workers.find(hasCut));
      workers.splice(workers.indexOf(reader), 1);
      const held = await found(async () => {
        // Nothing of it ends between the look and the kill.
        process.kill(reader.pid, 'SIGSTOP');
        const part = await partOf(store, id, owner);
        if (part === undefined) process.kill(reader.pid, 'SIGCONT');
        return part;
      });
      const killedAt = performance.now();
      await reader[Symbol.asyncDispose]();
      await found(async () => {
        const part = await store.db
          .selectFrom('tasks')
          .select('attempt')
          .where('id', '=', held.id)
          .executeTakeFirstOrThrow();
        return part.attempt > held.attempt ? part : null;
      });
      return { id, tookMs: performance.now() - killedAt };
    },
    async cancel(id: string): Promise<void> {
      const { task_id: task } = await collectionOf(store, id);
      const answer = await fetch(`${service.url}/tasks/${task}`, { method: 'DELETE', headers });
      assert.equal(answer.status, 200, await answer.text());
    },
    /** Waits until a part is prepared, or until none can be any more. */
    async helped(id: string): Promise<'preparing' | 'too late'> {
      for (;;) {
        const { rows } = await sql<{ isCut: boolean; prepared: number }>`
          select whole.parts_left is not null or whole.status <> 'processing' as "isCut",
            (count(*) filter (where part.attempt > 0))::int as prepared
          from collections join tasks as whole on whole.id = task_id left join tasks as part on part.parent = whole.id
          where collections.id = ${id} group by whole.id`.execute(store.db);
        const { isCut, prepared } = rows[0]!;
        if (isCut) return 'too late';
        if (prepared > 0) return 'preparing';
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async ended(id: string): Promise<End> {
      for (;;) {
        const { status, error_detail: error, user_id: userId } = await collectionOf(store, id);
        if (status === 'processing') {
          await new Promise((resolve) => setTimeout(resolve, 100));
          continue;
        }
        const reader = createCollectionReader(store.db);
        const hash = createHash('sha256');
        let records = 0;
        for await (const record of reader.records((await reader.get(userId, id))!)) {
          assert.equal(record.number, records++);
          hash.update(JSON.stringify(record));
        }
        const completed = await completions();
        const events = completed - completedBefore;
        completedBefore = completed;
        const emails = (await outbox()).slice(emailedBefore);
        emailedBefore += emails.length;
        return { status, error, records, digest: hash.digest('hex'), events, emails };
      }
    },
    /** Parts that are not to be deleted at the next opportunity, and what came of parts of a batch without records. */
    async partsLeft(): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select ((select count(*) from tasks where parent is not null and (expires_at is null or expires_at > now()))
          + (select count(*) from collection_parts join collections on collections.id = collection_id
            where status <> 'completed'))::int as count`.execute(store.db);
      return rows[0]!.count;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      await service[Symbol.asyncDispose]();
      await store.close();
      await database.drop();
    },
  };
}

/** Looks again and again until there is something. */
async function found<T>(look: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function wholeOf(store: Store, id: string) {
  const { task_id: task } = await collectionOf(store, id);
  return store.db
    .selectFrom('tasks')
    .select(['id', 'status', 'lease_owner', 'parts_left'])
    .where('id', '=', task)
    .executeTakeFirstOrThrow();
}

/** A part that a process runs, once the file has been read. */
async function partOf(store: Store, id: string, owner: string) {
  const { id: whole, status, parts_left: left } = await wholeOf(store, id);
  assert.equal(status, 'processing', 'the parts were done before the worker could be killed');
  if (left === null) return undefined;
  return store.db
    .selectFrom('tasks')
    .select(['id', 'attempt'])
    .where('parent', '=', whole)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
}

function collectionOf({ db }: Store, id: string) {
  return db
    .selectFrom('collections')
    .select(['status', 'error_detail', 'user_id', 'task_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}
