/**
 * `node bench/webhook-soak.ts [MINUTES]`: 20 events a second on PostgreSQL, one receiver in five failing, and what the
 * process holds meanwhile: memory, sockets, rows.
 */
import { sql } from 'kysely';
import { openSite } from '../test/end-to-end/webhooks/webhooks-site.ts';
import { newDatabase, openAll, register, steady } from './webhook-load.ts';
import { saveResult } from './results.ts';
import { startReceiverProcess } from './webhook-receivers.ts';

const minutes = Number(process.argv[2] ?? 15);
const receiver = await startReceiverProcess();
const database = await newDatabase();
const { store, close } = await openAll(database);
const webhooks = await openSite(store, database);
const good = await register(webhooks, receiver.port, '/keep', 'good');
const bad = await register(webhooks, receiver.port, '/fail', 'bad');
const ids = good.ids.map((id, i) => (i % 5 === 0 ? (bad.ids[i] as string) : id));
await receiver.reset(good.secrets);
const held: { readonly rss: number; readonly heapUsed: number }[] = [];
for (let minute = 1; minute <= minutes; minute++) {
  await steady(store, webhooks, ids, { perSecond: 20, seconds: 60 });
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  held.push({ rss, heapUsed });
  const { rows } = await sql<{ live: string; dead: string }>`
    select n_live_tup as live, n_dead_tup as dead from pg_stat_user_tables
    where relname = 'webhook_deliveries'`.execute(store.db);
  const sockets = process.getActiveResourcesInfo().filter((name) => name.includes('TCP')).length;
  const { pending, pausedWebhooks } = await webhooks.count();
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  console.log(
    JSON.stringify({
      minute,
      rssMB: megabytes(rss),
      heapMB: megabytes(heapUsed),
      sockets,
      pending,
      pausedWebhooks,
      ...rows[0],
    }),
  );
}
await webhooks.close(0);
await close();
receiver.child.kill();
const range = (of: (one: (typeof held)[number]) => number): string =>
  `${(Math.min(...held.map(of)) / 1e6).toFixed(0)} to ${(Math.max(...held.map(of)) / 1e6).toFixed(0)} MB`;
saveResult(
  'webhook-soak',
  [
    {
      what: `20 events a second, one receiver in five failing, ${minutes} minutes, PostgreSQL`,
      ours: `heap ${range(({ heapUsed }) => heapUsed)}, process ${range(({ rss }) => rss)}`,
      goal: 'no growth',
    },
  ],
  1,
);
