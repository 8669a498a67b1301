import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Kysely, PostgresDialect, sql, type CompiledQuery } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { Store } from '../../src/db/open-store.ts';
import { asKyselyPool } from '../../src/db/sql-pool.ts';
import { openWebhookStore } from '../../src/db/webhooks/open-webhook-store.ts';
import { completeWork, newUser } from '../end-to-end/webhooks/webhooks-site.ts';
import { describeOnEngines } from '../end-to-end/webhooks/webhooks-suite.ts';

describeOnEngines('the queue of webhooks after a quiet hour', (suite) => {
  it('reads the deliveries of the users it names, not those of everybody', async () => {
    const { queries, store } = listening(suite.store());
    await using site = await suite.open({ send: false });
    const users = Array.from({ length: 20 }, () => newUser());
    for (const [i, userId] of users.entries()) await site.webhooks.register(userId, `https://r${i}.receivers.test/`);
    // Statistics of a time when nothing was due, as autovacuum finds it most of the time.
    await sql`insert into webhook_deliveries
        (id, event_id, user_id, webhook_id, url, state, retries_left, created_at, finished_at)
      select gen_random_uuid(), n::text, 'user-' || n % 50, gen_random_uuid(), '', 'delivered', 0, now(), now()
      from generate_series(1, 5000) n`.execute(suite.store().db);
    await sql`analyze webhook_deliveries`.execute(suite.store().db);
    for (const userId of users)
      await Promise.all(Array.from({ length: 10 }, () => completeWork(suite.store(), site.webhooks, userId)));
    const { queue } = await openWebhookStore(store, { retentionDays: 30, retryDelaysS: [10, 30, 60] });
    queries.length = 0;
    const page = await queue.findDue('', 32);
    assert.deepEqual(
      page.users.map(({ due }) => due),
      Array(20).fill(10),
    );
    const claimed = await queue.claim(users.slice(0, 5).map((userId) => ({ userId, count: 4 })));
    assert.equal(claimed.length, 20);
    assert.equal(queries.length, 2);
    for (const query of queries) {
      const plan = await explain(suite.store(), query);
      assert.match(plan, /webhook_deliveries_waiting/);
      assert.doesNotMatch(plan, /webhook_deliveries_due|Seq Scan on webhook_deliveries/, plan);
    }
    await queue.nextDueMs();
    assert.match(await explain(suite.store(), queries[2] as CompiledQuery), /webhook_deliveries_due/);
  });
});

/** The same store, and what is asked through it. */
function listening(store: Store): { readonly queries: CompiledQuery[]; readonly store: Store } {
  const queries: CompiledQuery[] = [];
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: asKyselyPool(store.pool) }),
    log: ({ query }) => void queries.push(query),
  });
  return { queries, store: { ...store, db } };
}

async function explain({ pool }: Store, { sql: text, parameters }: CompiledQuery): Promise<string> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query(`explain ${text}`, parameters);
    return rows.map((row) => Object.values(row as object)[0] as string).join('\n');
  } finally {
    client.release();
  }
}
