/**
 * `node bench/webhook-rows.ts [ROWS]`: what a long log costs on PostgreSQL. With a million finished deliveries: claiming,
 * a page of the log, and deleting what is older than its retention while claims go on; then the queries of an idle sender.
 * Queries take turns; deleting and the idle sender have one run.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DeliveryQueue } from '../src/webhooks/delivery-queue.ts';
import type { Store } from '../src/db/open-store.ts';
import { openWebhookStore } from '../src/db/webhooks/open-webhook-store.ts';
import { openSite } from '../test/end-to-end/webhooks/webhooks-site.ts';
import { saveResult } from './results.ts';
import { median, quantile, ROUNDS, timeAsync } from './rounds.ts';
import { complete, newDatabase, openAll, register, USERS, type Users } from './webhook-load.ts';

type Query = 'due' | 'claim' | 'newest' | 'failed';

/** Milliseconds. */
interface Times {
  readonly p50: number;
  readonly p99: number;
}

const rows = Number(process.argv[2] ?? 1_000_000);
const database = await newDatabase();
const { store, close } = await openAll(database);
const site = await openSite(store, database, { send: false });
const users = await register(site, 443, '/');
const begun = performance.now();
await fill(store, users);
console.log(`${rows} finished deliveries written in ${Math.round((performance.now() - begun) / 1_000)} s`);
const { queue, list } = await openWebhookStore(store, { retentionDays: 30, retryDelaysS: [10, 30, 60] });

const wanted = users.ids.map((userId) => ({ userId, count: 4 }));
const rounds: Record<Query, Times>[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  await complete(store, site, users, 4_000);
  rounds.push({
    due: await timesOf(100, () => queue.findDue('', 32)),
    claim: await claims(queue),
    newest: await timesOf(400, (i) => list(userAt(i), { limit: 20 })),
    failed: await timesOf(400, (i) => list(userAt(i), { limit: 100, state: 'failed', since: new Date(0) })),
  });
  console.log(rounds.at(-1));
}
await complete(store, site, users, 8_000);
const deleting = deleteAll(queue);
const meanwhile = await claims(queue);
const { deleted, seconds } = await deleting;
await sql`delete from webhook_deliveries where state = 'pending'`.execute(store.db);
await site.close(0);
const { statements, processor } = await idle(store);
await close();
report();

function report(): void {
  const of = (query: Query, key: keyof Times): string =>
    median(rounds.slice(1).map((round) => round[query][key])).toFixed(1);
  const times = (query: Query): string => `p50 ${of(query, 'p50')}, p99 ${of(query, 'p99')} ms`;
  const many = `${rows.toLocaleString('en')} finished deliveries`;
  saveResult('webhook-rows', [
    { what: `${many}: claim of 40`, ours: times('claim'), goal: 'p99 10 ms' },
    { what: `${many}: look for due users`, ours: times('due') },
    { what: `${many}: newest 20 of a user`, ours: times('newest'), goal: 'p99 100 ms' },
    { what: `${many}: failed 100 of a user`, ours: times('failed'), goal: 'p99 100 ms' },
    {
      what: 'deleting expired deliveries while others are claimed, one run',
      ours:
        `${Math.round(deleted / seconds).toLocaleString('en')} a second, ${deleted.toLocaleString('en')} in ${seconds.toFixed(0)} s; ` +
        `a claim of 40 meanwhile p50 ${meanwhile.p50.toFixed(1)}, p99 ${meanwhile.p99.toFixed(1)} ms`,
      goal: '10,000 a second',
    },
    {
      what: 'sender with nothing to send, one run of 20 s',
      ours: `${statements.toFixed(2)} statements a second, ${processor.toFixed(2)} % of a processor`,
    },
  ]);
}

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
function claims(from: DeliveryQueue): Promise<Times> {
  return timesOf(100, (i) => from.claim(wanted.slice((i % 40) * 10, (i % 40) * 10 + 10)));
}

async function timesOf(count: number, work: (i: number) => Promise<unknown>): Promise<Times> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push((await timeAsync(() => work(i)))[0]);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

async function deleteAll(from: DeliveryQueue): Promise<{ readonly deleted: number; readonly seconds: number }> {
  const started = performance.now();
  const deleted = await from.deleteExpired();
  return { deleted, seconds: (performance.now() - started) / 1_000 };
}

/** A sender without anything to send, for 20 seconds. */
async function idle(open: Store): Promise<{ readonly statements: number; readonly processor: number }> {
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
  return { statements: statements / 20, processor: (used.user + used.system) / 1e4 / 20 };
}
