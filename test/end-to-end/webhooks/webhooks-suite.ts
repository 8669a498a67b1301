import { after, before, describe } from 'node:test';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { oneEngine, testEngines, type TestDatabase, type TestEngine } from '../../contracts/engines.ts';
import { openSite, openSiteStore, type SiteOptions } from './webhooks-site.ts';

/** What the tests of one engine share. */
export interface WebhookSuite {
  readonly engine: TestEngine['name'];
  readonly database: () => TestDatabase;
  readonly store: () => Store;
  /** Webhooks over the store, stopped at the end of the block. */
  open(options?: SiteOptions): Promise<AsyncDisposable & { readonly webhooks: WebhookService }>;
}

interface SuiteOptions {
  readonly poolSize?: number;
}

/** Describes `tests`, which are not about the database, with one of their own. */
export function describeOnEngines(
  title: string,
  tests: (suite: WebhookSuite) => void,
  options: SuiteOptions = {},
): void {
  describeOn(oneEngine(), title, tests, options);
}

/** Describes `tests` on each engine with a database of their own. */
export function describeOnBothEngines(title: string, tests: (suite: WebhookSuite) => void): void {
  describeOn(testEngines(), title, tests, {});
}

function describeOn(
  engines: readonly TestEngine[],
  title: string,
  tests: (suite: WebhookSuite) => void,
  options: SuiteOptions,
): void {
  for (const engine of engines) {
    describe(`${title}, on ${engine.name}`, { skip: engine.skip }, () => {
      let database: TestDatabase;
      let store: Store;
      before(async () => {
        database = await engine.create();
        store = await openSiteStore(database, options.poolSize);
      });
      after(async () => {
        await store?.close();
        await database?.drop();
      });
      tests({
        engine: engine.name,
        database: () => database,
        store: () => store,
        async open(siteOptions) {
          const webhooks = await openSite(store, database, siteOptions);
          return { webhooks, [Symbol.asyncDispose]: () => webhooks.close(1_000) };
        },
      });
    });
  }
}

/** The number of the scenario with `FIRSTMILE_WEBHOOK_SCENARIOS=full`, otherwise a smaller one for every day. */
export function sized(everyDay: number, full: number): number {
  return process.env['FIRSTMILE_WEBHOOK_SCENARIOS'] === 'full' ? full : everyDay;
}

/** For what must not happen: long enough that it would have. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
