import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { it } from 'node:test';
import { testEngines, type TestDatabase } from '../../contracts/engines.ts';
import { answers, startReceiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, openSite, openSiteStore, settled } from './webhooks-site.ts';

for (const engine of testEngines()) {
  const absent =
    engine.name === 'postgres' && spawnSync('pg_dump', ['--version']).error ? 'pg_dump is not here' : false;
  it(
    `F10 what a backup holds is delivered after it was restored, on ${engine.name}`,
    {
      skip: engine.skip || absent,
    },
    async () => {
      await using receiver = await startReceiver(answers(500, 200));
      const database = await engine.create();
      const userId = newUser();
      const store = await openSiteStore(database);
      const webhooks = await openSite(store, database, { retryDelaysS: [1, 1, 1] });
      await webhooks.register(userId, receiver.url());
      await completeWork(store, webhooks, userId);
      const { delivery } = await eventually(async () => {
        const [first] = await webhooks.list(userId, { limit: 1 });
        return first?.attempts === 1 ? webhooks.get(userId, first.id) : null;
      });
      await webhooks.close(0);
      await store.close();
      const restored = await engine.createEmpty();
      await backUpAndRestore(database, restored);
      await database.drop();
      const again = await openSiteStore(restored);
      const site = await openSite(again, restored);
      const { attempts } = await settled(site, userId, ['delivered']);
      assert.deepEqual(
        attempts.map(({ status }) => status),
        [500, 200],
      );
      assert.equal(receiver.received[1]?.headers['webhook-id'], delivery.eventId);
      await site.close(0);
      await again.close();
      await restored.drop();
    },
  );
}

/** `pg_dump` and `psql`; for the embedded database a copy of its folder, made while nobody has it open. */
async function backUpAndRestore(from: TestDatabase, to: TestDatabase): Promise<void> {
  if (from.databaseUrl === null || to.databaseUrl === null) return cp(from.dataDir, to.dataDir, { recursive: true });
  const dump = spawnSync('pg_dump', [from.databaseUrl], { maxBuffer: 1e9 });
  assert.equal(dump.status, 0, String(dump.stderr));
  const psql = spawnSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', to.databaseUrl], { input: dump.stdout });
  assert.equal(psql.status, 0, String(psql.stderr));
}
