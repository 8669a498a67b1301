import { sql } from 'kysely';
import type { Config } from '../config/settings.ts';
import { countryCode } from '../readers/built-in/country-code.ts';
import { createCollectionStore } from '../db/collections/create-collections.ts';
import { collectionHooks } from '../service/collections/outcome.ts';
import { createCollectionAdmin, type CollectionAdmin } from './collections-control.ts';
import { createCollectionService } from '../service/collections/collections.ts';
import { connectRunning } from './control.ts';
import { createFileHandlers } from '../service/files/handlers.ts';
import { openFileWorkHere } from '../service/files/file-work.ts';
import { openForCommand } from './open-for-command.ts';
import { publicAddress } from '../config/public-address.ts';
import { createLog } from '../log.ts';
import { RETRY_DELAYS_S } from '../webhooks/delivery.ts';
import { recordEvent } from '../db/webhooks/record-event.ts';
import { createCompletionRecorder } from '../service/webhooks/completion.ts';

interface OpenedCollectionAdmin extends AsyncDisposable {
  readonly collections: CollectionAdmin;
  /** Somebody works on tasks: the running service, or those that share the database. */
  readonly hasRunner: boolean;
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  readonly countryCode: (text: string) => string | null;
}

/**
 * Collections for the command line: through the service that holds the embedded database open when one runs, otherwise in
 * the database itself.
 */
export async function openCollectionAdmin(config: Config): Promise<OpenedCollectionAdmin> {
  const running = await connectRunning(config);
  if (running !== null)
    return { collections: running, hasRunner: true, countryCode, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  // A batch may be cancelled here; what that records is sent by the service or worker that runs next.
  const recordCompletion = createCompletionRecorder({
    webhooks: { recordEvent: (trx, event) => recordEvent(trx, event, sql<Date>`now()`, RETRY_DELAYS_S.length) },
    log: createLog({ level: 'warn', json: false }),
    clock: () => new Date(),
    onDelivery: () => {},
  });
  const hooks = collectionHooks(() => publicAddress(config), recordCompletion);
  const { store, tasks, data } = await openForCommand(config, opened, hooks);
  const files = openFileWorkHere(createFileHandlers(data, config));
  const collections = createCollectionService({
    store: createCollectionStore(store),
    tasks,
    files,
    addressOf: async (userId) => (await store.credentials.userById(userId))?.email ?? null,
  });
  const kept = opened.move();
  return {
    collections: createCollectionAdmin(collections, config),
    hasRunner: config.databaseUrl !== null,
    countryCode,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
