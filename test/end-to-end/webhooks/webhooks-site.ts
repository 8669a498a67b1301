import { tmpdir } from 'node:os';
import { randomUUID } from 'node:crypto';
import { readConfig, type Config } from '../../../src/config/settings.ts';
import { createLog } from '../../../src/log.ts';
import {
  openWebhooks,
  type WebhookService,
  type WebhookServiceOptions,
} from '../../../src/service/webhooks/webhooks.ts';
import { openStore, type Store } from '../../../src/db/open-store.ts';
import type { DeliveryDetails } from '../../../src/db/webhooks/open-webhook-store.ts';
import type { TestDatabase } from '../../contracts/engines.ts';
import { TEST_AUTHORITY } from './webhooks-receiver.ts';

/** The key of the tests: 32 bytes. */
export const TEST_KEY = `t1:${Buffer.alloc(32, 7).toString('base64')}`;

export type SiteOptions = Partial<Omit<WebhookServiceOptions, 'store' | 'config'>> & {
  readonly env?: Readonly<Record<string, string>>;
};

const silent = createLog({ level: process.env['WEBHOOK_TEST_LOG'] ?? 'silent', json: true });

/** The settings a test of webhooks runs with: receivers on this machine are allowed. */
export function siteConfig(database: TestDatabase | null, env: Readonly<Record<string, string>> = {}): Config {
  return readConfig({
    WEBHOOK_ALLOW_LOCAL: 'on',
    SECRETS_KEY: TEST_KEY,
    DATA_DIR: database?.dataDir ?? tmpdir(),
    AUTO_DATA: 'off',
    ...(database?.databaseUrl ? { DATABASE_URL: database.databaseUrl } : {}),
    ...env,
  });
}

export function openSiteStore(database: TestDatabase, poolSize = 10): Promise<Store> {
  return openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize, log: silent });
}

/** Webhooks over an open store, with names that lead to this machine and the authority of the tests. */
export function openSite(
  store: Store,
  database: TestDatabase | null,
  options: SiteOptions = {},
): Promise<WebhookService> {
  const { env, ...rest } = options;
  return openWebhooks({
    store,
    config: siteConfig(database, env),
    log: silent,
    send: true,
    ca: [TEST_AUTHORITY],
    resolve: async () => ['127.0.0.1'],
    ...rest,
  });
}

/** Completes a piece of work of the user, as a batch would, and returns whether an event was recorded. */
export function completeWork(
  store: Store,
  webhooks: WebhookService,
  userId: string,
  work: { readonly key?: string; readonly data?: Readonly<Record<string, unknown>> } = {},
): Promise<boolean> {
  const data = work.data ?? { collection_name: 'cocoa lot 7', description: '', urls: {} };
  return store.db.transaction().execute((trx) =>
    webhooks.recordCompletion(trx, {
      userId,
      type: 'batch_zonal_stats_complete',
      data,
      uniqueKey: work.key ?? `batch ${randomUUID()}`,
    }),
  );
}

/** Asks until the answer is not null, or throws after `ms`. */
export async function eventually<T>(ask: () => Promise<T | null>, ms = 60_000): Promise<T> {
  const giveUpAt = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > giveUpAt) throw new Error(`nothing came within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The user's newest delivery once it is in one of the states. */
export function settled(
  webhooks: WebhookService,
  userId: string,
  states: readonly string[] = ['delivered', 'failed', 'cancelled'],
): Promise<DeliveryDetails> {
  return eventually(async () => {
    const [newest] = await webhooks.list(userId, { limit: 1 });
    if (newest === undefined || !states.includes(newest.state)) return null;
    return webhooks.get(userId, newest.id);
  });
}

/** A user no other test has. */
export function newUser(name = 'user'): string {
  return `${name}-${randomUUID()}`;
}
