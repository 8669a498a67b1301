/**
 * `node bench/webhook-rows.ts [ROWS]`: what a long log costs on PostgreSQL. With a million finished deliveries: claiming,
 * a page of the log, and deleting what is older than its retention while claims go on; then the queries of an idle sender.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DeliveryQueue } from '../src/webhooks/delivery-queue.ts';
import type { Store } from '../src/db/open-store.ts';
import { openWebhookStore } from '../src/db/webhooks/open-webhook-store.ts';
import { openSite } from '../test/end-to-end/webhooks/webhooks-site.ts';
import { complete, newDatabase, openAll, register, USERS, type Users } from './webhook-load.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const database = await newDatabase();
const { store, close } = await openAll(database);
const site = await openSite(store, database, { send: false });
const users = await register(site, 443, '/');
const begun = performance.now();
await fill(store, users);
console.log(`${rows} finished deliveries written in ${Math.round((performance.now() - begun) / 1_000)} s`);
const { queue, list } = await openWebhookStore(store, { retentionDays: 30, retryDelaysS: [10, 30, 60] });

const results: object[] = [];
const wanted = users.ids.map((userId) => ({ userId, count: 4 }));
await complete(store, site, users, 4_000);
results.push({ what: 'look for due users', ...(await timesOf(100, () => queue.findDue('', 32))) });
results.push({ what: 'claim of 40', ...(await claims(queue)) });
results.push({ what: 'newest 20 of a user', ...(await timesOf(400, (i) => list(userAt(i), { limit: 20 }))) });
results.push({
  what: 'failed since, 100 of a user',
  ...(await timesOf(400, (i) => list(userAt(i), { limit: 100, state: 'failed', since: new Date(0) }))),
});
await complete(store, site, users, 8_000);
const deleting = deleteAll(queue);
results.push({ what: 'claim of 40 during the deletion', ...(await claims(queue)) });
console.table(results);
const { deleted, seconds } = await deleting;
console.log(`deleted ${deleted} deliveries in ${seconds.toFixed(1)} s: ${Math.round(deleted / seconds)}/s`);
await sql`delete from webhook_deliveries where state = 'pending'`.execute(store.db);
await site.close(0);
console.table([await idle(store)]);
await close();

/** One in ten failed; half of all ended before the retention. */
async function fill({ db }: Store, { ids }: Users): Promise<void> {
  const owner = sql`(array[${sql.join(ids.map((id) => sql.lit(id)))}])[1 + n % ${sql.lit(USERS)}]`;
  const time = sql`now() - (n * 60.0 / ${rows}) * interval '1 day'`;
  await sql`insert into webhook_events (id, user_id, type, unique_key, body, created_at)
    select 'evt_' || n, ${owner}, 'batch_zonal_stats_complete', null, repeat('x', 700), ${time}
    from generate_series(1, ${rows}) n`.execute(db);
  await sql`insert into webhook_deliveries
      (id, event_id, user_id, webhook_id, url, state, attempts, retries_left, created_at, finished_at)
    select gen_random_uuid(), 'evt_' || n, ${owner}, ${randomUUID()}::uuid, 'https://a.example.org/',
      case n % 10 when 0 then 'failed' else 'delivered' end, 1, 0, ${time}, ${time}
    from generate_series(1, ${rows}) n`.execute(db);
  await sql`insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status, address, excerpt)
    select id, 1, created_at, 20, 200, '192.0.2.1', 'ok' from webhook_deliveries`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

function userAt(i: number): string {
  return users.ids[i % users.ids.length] as string;
}

/** Claims of 40 deliveries of ten users each, until all have had their turn. */
function claims(from: DeliveryQueue): Promise<object> {
  return timesOf(100, (i) => from.claim(wanted.slice((i % 40) * 10, (i % 40) * 10 + 10)));
}

async function timesOf(count: number, work: (i: number) => Promise<unknown>): Promise<object> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const from = performance.now();
    await work(i);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(share * (count - 1))] as number).toFixed(1);
  return { calls: count, 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'max ms': at(1) };
}

async function deleteAll(from: DeliveryQueue): Promise<{ readonly deleted: number; readonly seconds: number }> {
  const started = performance.now();
  const deleted = await from.deleteExpired();
  return { deleted, seconds: (performance.now() - started) / 1_000 };
}

/** A sender without anything to send, for 20 seconds. */
async function idle(open: Store): Promise<object> {
  const quiet = await openSite(open, database);
  const commits = async (): Promise<number> => {
    const { rows: found } = await sql<{ n: string }>`
      select xact_commit as n from pg_stat_database where datname = current_database()`.execute(open.db);
    return Number(found[0]?.n);
  };
  await new Promise((done) => setTimeout(done, 12_000));
  const [before, cpu] = [await commits(), process.cpuUsage()];
  await new Promise((done) => setTimeout(done, 20_000));
  const used = process.cpuUsage(cpu);
  const statements = (await commits()) - before - 1;
  await quiet.close(0);
  return {
    what: 'idle sender',
    'statements/s': (statements / 20).toFixed(2),
    'processor %': ((used.user + used.system) / 1e4 / 20).toFixed(2),
  };
}
