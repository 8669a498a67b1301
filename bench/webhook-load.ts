import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { WebhookService } from '../src/service/webhooks/webhooks.ts';
import type { Store } from '../src/db/open-store.ts';
import { testEngines } from '../test/contracts/engines.ts';
import { openSiteStore } from '../test/end-to-end/webhooks/webhooks-site.ts';
import { processorMs } from './process-figures.ts';
import { now, type Arrival } from './webhook-receivers.ts';

export const USERS = 400;
export const HOSTS = 200;
export const DATA = {
  collection_name: 'cocoa lot 7',
  description: 'x'.repeat(300),
  urls: { biodiversity: 'y'.repeat(200) },
};

export type Engine = Awaited<ReturnType<Awaited<ReturnType<typeof testEngines>>[number]['create']>>;

/** A new database on the PostgreSQL server. */
export async function newDatabase(): Promise<Engine> {
  const engine = (await testEngines()).find(({ name, skip }) => name === 'postgres' && skip === false);
  if (engine === undefined) throw new Error('wanted a PostgreSQL server, found none');
  return engine.create();
}

export interface Users {
  readonly ids: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
}

export async function register(webhooks: WebhookService, port: number, path: string, name = 'user'): Promise<Users> {
  const ids = Array.from({ length: USERS }, (_, i) => `${name}-${i}`);
  const secrets: Record<string, string> = {};
  for (const [i, userId] of ids.entries()) {
    const { clientSecret } = await webhooks.register(
      userId,
      `https://h${i % HOSTS}.receivers.test:${port}${path}?u=${i}`,
    );
    secrets[String(i)] = clientSecret;
  }
  return { ids, secrets };
}

/** In transactions of 100, as fast as it goes. */
export async function complete(store: Store, webhooks: WebhookService, users: Users, count: number): Promise<void> {
  const batches = Array.from({ length: Math.ceil(count / 100) }, (_, i) => i);
  const lane = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const first = batch * 100;
      await store.db.transaction().execute(async (trx) => {
        for (let i = first; i < Math.min(first + 100, count); i++)
          await webhooks.recordCompletion(trx, {
            userId: users.ids[i % users.ids.length] as string,
            type: 'batch_zonal_stats_complete',
            data: DATA,
            uniqueKey: randomUUID(),
          });
      });
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}

/** Commits at a steady rate; returns when each event was committed, by its id. */
export async function steady(
  store: Store,
  webhooks: WebhookService,
  ids: readonly string[],
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<ReadonlyMap<string, number>> {
  const committed = new Map<string, number>();
  const begun = performance.now();
  const running: Promise<void>[] = [];
  for (let i = 0; i < perSecond * seconds; i++) {
    const wait = begun + (i * 1_000) / perSecond - performance.now();
    if (wait > 1) await new Promise((done) => setTimeout(done, wait));
    const work = { userId: ids[i % ids.length] as string, type: 'batch_zonal_stats_complete', data: DATA } as const;
    const key = randomUUID();
    running.push(
      store.db
        .transaction()
        .execute((trx) => webhooks.recordCompletion(trx, { ...work, uniqueKey: key }))
        .then(() => void committed.set(key, now())),
    );
  }
  await Promise.all(running);
  const keys = await store.db.selectFrom('webhook_events').select(['id', 'unique_key']).execute();
  return new Map(
    keys.flatMap(({ id, unique_key: key }) =>
      key !== null && committed.has(key) ? [[id, committed.get(key) as number]] : [],
    ),
  );
}

/** Milliseconds from commits to arrivals; infinite where an event did not arrive. */
export interface Delays {
  readonly events: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function delaysOf(committed: ReadonlyMap<string, number>, arrivals: readonly Arrival[]): Delays {
  const first = new Map<string, number>();
  for (const { id, at } of arrivals) first.set(id, Math.min(first.get(id) ?? Infinity, at));
  const delays = [...committed].map(([id, at]) => (first.get(id) ?? Infinity) - at).sort((a, b) => a - b);
  const at = (share: number): number => Math.round((delays[Math.floor(delays.length * share)] ?? NaN) * 10) / 10;
  return { events: delays.length, p50: at(0.5), p99: at(0.99), max: at(0.999_999) };
}

export async function openAll(database: Engine): Promise<{ store: Store; close: () => Promise<void> }> {
  const store = await openSiteStore(database);
  return {
    store,
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 2_000) throw new Error('the deliveries did not end');
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Processor time that all processes of PostgreSQL have used so far, in ms; 0 where /proc does not say. */
export function postgresCpuMs(): number {
  let spent = 0;
  for (const pid of existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n') spent += processorMs(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  return spent;
}
