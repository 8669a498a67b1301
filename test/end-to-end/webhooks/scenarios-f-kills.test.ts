import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Store } from '../../../src/db/open-store.ts';
import { testEngines, type TestDatabase } from '../../contracts/engines.ts';
import { cuttableDatabase } from '../database-outage.ts';
import { runService } from '../run-service.ts';
import { CRASH_POINTS } from './webhook-crash-points.ts';
import { webhookCrashRounds } from './webhook-crash-rounds.ts';
import { startReceiver, TEST_AUTHORITY, type Receiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, openSite, openSiteStore, TEST_KEY } from './webhooks-site.ts';
import { pause, sized } from './webhooks-suite.ts';

const WORKER = join(import.meta.dirname, 'webhook-worker.fixture.ts');
/** At each point on PostgreSQL; 200 at each are bench/webhook-crash.ts. */
const KILLS = sized(1, 10);
/** A lease has to end by itself before what a killed worker held is sent. */
const PATIENCE_MS = 120_000;

const engines = testEngines();
// At the same time, on both engines: most of it is waiting.
describe('F', { concurrency: true }, () => {
  for (const engine of engines) {
    describe(`F. kills and outages, on ${engine.name}`, { skip: engine.skip, concurrency: true }, () => {
      // Opening the embedded database takes a second each time: both sides of each line are enough here. All points with
      // 200 runs each are bench/webhook-crash.ts.
      const few: readonly string[] = ['commit on its way', 'claimed', 'answered, not recorded', 'record on its way'];
      const tried = CRASH_POINTS.filter(({ name }) => engine.name === 'postgres' || few.includes(name));
      const [points, runs] = [tried.length, engine.name === 'postgres' ? KILLS : 1];
      it(`F1 kill -9 at ${points} points, ${runs} times each, loses nothing and sends twice only what was not recorded`, async () => {
        const lanes = engine.name === 'postgres' ? 2 : 1;
        const rows = await Promise.all(
          Array.from({ length: lanes }, async (_, lane) => {
            const database = await engine.create();
            const mine = tried.filter((_point, i) => i % lanes === lane);
            const found = await webhookCrashRounds(database, mine, runs);
            await database.drop();
            return found;
          }),
        );
        assert.equal(rows.flat().length, points);
        for (const { point, lost, faults, duplicates } of rows.flat()) {
          assert.deepEqual({ point, lost, faults }, { point, lost: 0, faults: [] });
          // Otherwise the kill did not come where it should.
          const { sent } = tried.find(({ name }) => name === point)!;
          if (sent === 'not recorded') assert.equal(duplicates, runs, point);
        }
      });

      const [events, kills] = [sized(600, 10_000), sized(engine.name === 'postgres' ? 4 : 2, 40)];
      it(`F2 ${events} events arrive while a sender is killed ${kills} times`, async () => {
        const database = await engine.create();
        await using receiver = await startReceiver(async (_request, response) => {
          // Slow enough that events are on their way through all the kills.
          await pause(sized(20, 500));
          response.writeHead(200).end();
        });
        const loading = loadAlone(database, receiver, { users: 40, events });
        // The embedded database has one process at a time.
        if (engine.name === 'embedded') await loading;
        const whileSending = await killWorkers(database, receiver, {
          workers: engine.name === 'embedded' ? 1 : 2,
          kills,
        });
        await loading;
        assert.ok(whileSending > 0, 'nothing was killed while it sent');
        const store = await openSiteStore(database);
        const webhooks = await openSite(store, database);
        await eventually(async () => ((await webhooks.count()).pending === 0 ? true : null), PATIENCE_MS);
        assert.equal((await webhooks.count()).deliveredLastHour, events);
        const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
        assert.equal(new Set(ids).size, events);
        await webhooks.close(0);
        await store.close();
        await database.drop();
      });

      const databaseFaults = engine.name === 'embedded' ? 'the embedded database is part of the process' : false;
      it(
        'F3 a server that restarts, fails over or is away is waited for by the same process, and nothing is lost',
        {
          skip: databaseFaults,
        },
        async () => {
          const database = await engine.create();
          await using link = await cuttableDatabase(database.databaseUrl as string);
          const behind = { ...database, databaseUrl: link.url };
          await using receiver = await startReceiver();
          const [store, direct] = await Promise.all([openSiteStore(behind), openSiteStore(database)]);
          const [webhooks, recorder] = [
            await openSite(store, behind),
            await openSite(direct, database, { send: false }),
          ];
          const userId = newUser();
          await webhooks.register(userId, receiver.url());
          const count = sized(300, 3_000);
          for (let i = 0; i < count; i++) {
            await completeWork(direct, recorder, userId);
            if (i % 20 === 0) await endSessions(direct);
            if (i === count / 2) {
              await link.cut();
              await pause(sized(2_000, 60_000));
              assert.notEqual(webhooks.status().fault, null);
              await assert.rejects(webhooks.register(newUser(), receiver.url()), { code: 'dependency_unavailable' });
              await link.restore();
            }
          }
          await eventually(async () => ((await recorder.count()).pending === 0 ? true : null), PATIENCE_MS);
          const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
          assert.equal(new Set(ids).size, count);
          // Still open, it ends while its database is away.
          await link.cut();
          await webhooks.close(0);
          await store.close();
          await recorder.close(0);
          await direct.close();
          await database.drop();
        },
      );

      it('F8 SIGTERM lets the request on its way end, records it and claims nothing more', async () => {
        const database = await engine.create();
        let answer: () => void = () => {};
        const answered = new Promise<void>((done) => (answer = done));
        await using receiver = await startReceiver(async (_request, response) => {
          await answered;
          response.writeHead(200).end();
        });
        // The user begins with one request at a time, so two of three wait.
        const address = { url: () => `https://localhost:${receiver.port}/` };
        await loadAlone(database, address, { users: 1, events: 3 });
        await using service = await runService({ dataDir: database.dataDir, env: serviceSettings(database) });
        await receiver.until(1, PATIENCE_MS);
        const ended = service.stop('SIGTERM');
        await pause(500);
        answer();
        assert.equal(await ended, 0, service.output().err);
        assert.equal(receiver.received.length, 1);
        const store = await openSiteStore(database);
        const rows = await store.db
          .selectFrom('webhook_deliveries')
          .select(['state', 'attempts', 'lease_until'])
          .execute();
        assert.deepEqual(rows.map(({ state, attempts }) => `${state} ${attempts}`).sort(), [
          'delivered 1',
          'pending 0',
          'pending 0',
        ]);
        assert.ok(rows.every((row) => row.lease_until === null));
        await store.close();
        await database.drop();
      });
    });
  }
});

/** Settings of a whole service next to the tests' own. */
function serviceSettings({ databaseUrl }: TestDatabase): Record<string, string> {
  const authorityFile = join(mkdtempSync(join(tmpdir(), 'firstmile-test-')), 'authority.pem');
  writeFileSync(authorityFile, TEST_AUTHORITY);
  return {
    WEBHOOK_ALLOW_LOCAL: 'on',
    WEBHOOK_CA_FILE: authorityFile,
    SECRETS_KEY: TEST_KEY,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  };
}

/** Completes work that nobody has sent yet. */
async function loadAlone(
  database: TestDatabase,
  receiver: Pick<Receiver, 'url'>,
  counts: { readonly users: number; readonly events: number },
): Promise<void> {
  const store = await openSiteStore(database);
  const webhooks = await openSite(store, database, { send: false });
  const users = Array.from({ length: counts.users }, () => newUser());
  for (const [i, userId] of users.entries()) await webhooks.register(userId, receiver.url(`h${i}`));
  for (let i = 0; i < counts.events; i++) await completeWork(store, webhooks, users[i % users.length] as string);
  await webhooks.close(0);
  await store.close();
}

/** Keeps senders running, kills one again and again and all of them at the end; returns how many kills met them sending. */
async function killWorkers(
  database: TestDatabase,
  receiver: Receiver,
  { workers, kills }: { readonly workers: number; readonly kills: number },
): Promise<number> {
  const running = await Promise.all(Array.from({ length: workers }, () => startWorker(database)));
  let whileSending = 0;
  for (let left = kills; left > 0; left--) {
    const sending = receiver.until(receiver.received.length + 5, 3_000);
    whileSending += await sending.then(
      () => 1,
      () => 0,
    );
    await pause(Math.random() * sized(100, 2_000));
    const i = left % workers;
    await kill(running[i] as ChildProcess);
    if (left > workers) running[i] = await startWorker(database);
  }
  return whileSending;
}

async function startWorker({ dataDir, databaseUrl }: TestDatabase): Promise<ChildProcess> {
  const child = fork(WORKER, [dataDir, databaseUrl ?? '']);
  await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Ends every other session of the database, whatever it is in the middle of. */
async function endSessions({ db }: Store): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
}
