import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openRateCounts } from '../../src/db/rate-counts.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { createLog } from '../../src/log.ts';
import { memoryCredentials } from '../memory/credentials.ts';
import { testServer } from '../memory/test-server.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const WINDOWS = [
  { quota: 3, seconds: 60 },
  { quota: 4, seconds: 3600 },
] as const;

for (const engine of testEngines())
  describe(`shared rate counts on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await engine.create();
      const log = createLog({ level: 'silent', json: true });
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 4, log });
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    const endWindow = (key: string, column: 'ends_1' | 'ends_2') =>
      sql`update rate_counts set ${sql.ref(column)} = now() where key = ${key}`.execute(store.db);

    it('counts in every window and refuses in all of them', async () => {
      const { take } = openRateCounts(store.db);
      const used = async () => {
        const { allowed, counts } = await take('ana', WINDOWS);
        return [allowed, ...counts.map((count) => count.used)];
      };
      assert.deepEqual(await used(), [true, 1, 1]);
      assert.deepEqual(await used(), [true, 2, 2]);
      assert.deepEqual(await used(), [true, 3, 3]);
      assert.deepEqual(await used(), [false, 3, 3]);
      await endWindow('ana', 'ends_1');
      assert.deepEqual(await used(), [true, 1, 4]);
      await endWindow('ana', 'ends_1');
      assert.deepEqual(await used(), [false, 0, 4], 'the minute is not used up by what the hour refuses');
      await endWindow('ana', 'ends_2');
      assert.deepEqual(await used(), [true, 1, 1]);
    });

    it('lets through no more than the quota, however many requests come at once', async () => {
      const { take } = openRateCounts(store.db);
      const [window] = WINDOWS;
      const answers = await Promise.all(Array.from({ length: 20 }, () => take('burst', [window])));
      assert.equal(answers.filter(({ allowed }) => allowed).length, window.quota);
      assert.ok(answers.every(({ counts }) => counts.length === 1 && counts[0].leftS <= 60 && counts[0].leftS > 0));
    });

    it('is one limit for all servers on the database', async () => {
      const credentials = memoryCredentials();
      const rateCounts = openRateCounts(store.db);
      const env = { RATE_LIMIT: '4/min,100/h' };
      await using one = testServer({ credentials, rateCounts }, env);
      await using other = testServer({ credentials, rateCounts }, env);
      const { authorization } = await one.login();
      const statuses: number[] = [];
      for (const { app } of [one, other, one, other, one, other])
        statuses.push((await app.inject({ url: '/principal', headers: { authorization } })).statusCode);
      assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
      const refused = await other.app.inject({ url: '/principal', headers: { authorization } });
      assert.equal(refused.headers['ratelimit-remaining'], '0');
      assert.match(String(refused.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/);
    });

    it('counts wrong credentials and passwords for all servers on the database', async () => {
      const rateCounts = openRateCounts(store.db);
      await using one = testServer({ rateCounts });
      await using other = testServer({ rateCounts });
      const statuses = async (request: object, times: number): Promise<number[]> => {
        const found: number[] = [];
        for (let i = 0; i < times; i++) found.push((await (i % 2 === 0 ? one : other).app.inject(request)).statusCode);
        return [...new Set(found)];
      };
      const guess = { url: '/principal', headers: { authorization: 'Bearer wrong' } };
      assert.deepEqual(await statuses(guess, 30), [401]);
      await statuses(guess, 2);
      assert.deepEqual(await statuses(guess, 2), [429], 'both know by now');
      const payload = { email: 'ana@example.org', password: 'wrong' };
      const refresh = { method: 'POST', url: '/refresh_token', payload };
      assert.deepEqual(await statuses(refresh, 10), [401]);
      assert.deepEqual(await statuses(refresh, 2), [429]);
    });
  });
