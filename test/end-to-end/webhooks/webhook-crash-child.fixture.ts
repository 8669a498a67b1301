/**
 * The process that is killed: it delivers what the one before left behind, then completes a piece of work and is killed
 * at the point it was told, by itself where that is inside this process, otherwise by the receiver.
 */
import { once } from 'node:events';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { deliveryFailedEmail } from '../../../src/email/notice-emails.ts';
import { prepareEmail } from '../../../src/email/prepare-email.ts';
import type { Database } from '../../../src/db/database.ts';
import { queueEmail } from '../../../src/db/email/queue-email.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { asKyselyPool, type SqlPool } from '../../../src/db/sql-pool.ts';
import type { CrashFindings, CrashMessage, CrashOrder, CrashPointName } from './webhook-crash-points.ts';
import { eventually, openSite, openSiteStore } from './webhooks-site.ts';

const USER = 'crash-user';
/** Statements by how they begin. */
const CLAIM = /^\s*with picked as/;
const RECORD = /^\s*with made as/;

/** Points at a statement: before it is sent, while it is on its way, or when it was answered. */
const TRAPS: Partial<
  Record<CrashPointName, { readonly statement: RegExp; readonly at: 'before' | 'during' | 'after' }>
> = {
  'before the commit': { statement: /^commit/, at: 'before' },
  'commit on its way': { statement: /^commit/, at: 'during' },
  committed: { statement: /^commit/, at: 'after' },
  'claim on its way': { statement: CLAIM, at: 'during' },
  claimed: { statement: CLAIM, at: 'after' },
  'answered, not recorded': { statement: RECORD, at: 'before' },
  'record on its way': { statement: RECORD, at: 'during' },
  'failure recorded, next attempt to come': { statement: /^commit/, at: 'after' },
};

/** Null until the piece of work begins that is to be cut off. */
let armed: CrashPointName | null = null;

const [order] = (await once(process, 'message')) as [CrashOrder];
const database = { dataDir: order.dataDir, databaseUrl: order.databaseUrl, drop: async () => {} };
const store = trapped(await openSiteStore(database, 5));
const webhooks = await openSite(store, database, {
  clock: () => new Date(Date.now() + order.aheadS * 1_000),
  resolve: async () => {
    if (armed === 'name being resolved') die();
    return ['127.0.0.1'];
  },
});
process.on('message', (message) => {
  if (message !== 'stop') return;
  void webhooks.close(60_000);
  say('stopping');
});
if (order.previous === null) await register();
else say({ found: await recover(order.previous) });
if (order.next === null) {
  await webhooks.close(1_000);
  await store.close();
  process.disconnect?.();
} else {
  await once(process, 'message');
  await complete(order.next.key, order.next.point);
}

async function register(): Promise<void> {
  const { clientSecret } = await webhooks.register(USER, `https://crash.receivers.test:${order.port}/hook`);
  say({ secret: clientSecret });
}

/** Reports the work before once more, as whoever did not see it acknowledged would, and waits until it was delivered. */
async function recover(key: string): Promise<CrashFindings> {
  const writtenAgain = await complete(key, null);
  const delivery = await eventually(async () => {
    const found = await store.db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhook_events', 'webhook_events.id', 'webhook_deliveries.event_id')
      .select(['webhook_deliveries.event_id', 'webhook_deliveries.state', 'webhook_deliveries.id'])
      .where('unique_key', '=', key)
      .execute();
    return found.length > 0 && found.every(({ state }) => state !== 'pending') ? found : null;
  }, 30_000);
  const count = async (table: 'webhook_events' | 'emails', column: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)} where ${sql.ref(column)} = ${key}`.execute(store.db);
    return rows[0]?.n ?? 0;
  };
  const attempts = await store.db
    .selectFrom('webhook_attempts')
    .select('number')
    .where('delivery_id', '=', delivery[0]!.id)
    .execute();
  return {
    writtenAgain,
    events: await count('webhook_events', 'unique_key'),
    emails: await count('emails', 'key'),
    state: delivery.map(({ state }) => state).join(),
    attempts: attempts.length,
    eventId: delivery[0]!.event_id,
  };
}

/** The work, its event and its email in one transaction; `point` is armed inside it. */
function complete(key: string, point: CrashPointName | null): Promise<boolean> {
  return store.db.transaction().execute(async (trx) => {
    const isNew = await webhooks.recordCompletion(trx, {
      userId: USER,
      type: 'batch_zonal_stats_complete',
      data: { collection_name: key, description: '', urls: {} },
      uniqueKey: key,
    });
    if (isNew) await queueEmail(trx, prepareEmail({ key, userId: USER, to: 'ana@example.org', content: notice(key) }));
    if (point !== null) armed = point;
    return isNew;
  });
}

function notice(key: string) {
  return deliveryFailedEmail({
    url: 'https://a.example.org',
    deliveryId: key,
    eventId: key,
    eventType: 'batch_zonal_stats_complete',
    reason: 'The receiver failed.',
    failedAt: new Date(0),
    serviceUrl: null,
  });
}

/** The same store, whose sessions spring the trap of the point once it is armed. */
function trapped(opened: Store): Store {
  // A failure is recorded in a transaction of its own, whose commit is the one that counts.
  let recording = false;
  const pool: SqlPool = {
    end: () => opened.pool.end(),
    async connect() {
      const client = await opened.pool.connect();
      return {
        release: (destroy) => client.release(destroy),
        async query(text, parameters) {
          const trap = armed === null ? undefined : TRAPS[armed];
          // Another session may see the work before this one is told of its commit, and would be past the point.
          if (armed === 'committed' && CLAIM.test(text)) await new Promise(() => {});
          if (armed !== null && RECORD.test(text)) recording = true;
          const wanted = trap?.statement.test(text) === true && (!armed?.startsWith('failure') || recording);
          if (wanted && trap?.at === 'before') die();
          const answer = client.query(text, parameters);
          if (wanted && trap?.at === 'during') setImmediate(dieSoon);
          const result = await answer;
          if (wanted && trap?.at === 'after') die();
          return result;
        },
      };
    },
  };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: asKyselyPool(pool) }) });
  return { ...opened, pool, db };
}

/** Within two milliseconds, in which nothing that arrives is read. */
function dieSoon(): void {
  const until = performance.now() + Math.random() * 2;
  while (performance.now() < until);
  die();
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal is there before this returns.
  for (;;);
}

function say(message: CrashMessage): void {
  process.send?.(message);
}
