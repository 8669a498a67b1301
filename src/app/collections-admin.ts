import { sql } from 'kysely';
import type { Config } from '../config/settings.ts';
import { countryCode } from '../readers/built-in/country-code.ts';
import { createCollectionStore } from '../db/collections/create-collections.ts';
import { collectionHooks } from '../service/collections/outcome.ts';
import {
  type CollectionAdmin,
  createCollectionAdmin,
  createExportAdmin,
  type ExportAdmin,
} from './collections-control.ts';
import { createCollectionService } from '../service/collections/collections.ts';
import { connectRunning } from './control.ts';
import { createFileHandlers } from '../service/files/handlers.ts';
import { openFileWorkHere } from '../service/files/file-work.ts';
import { publicAddress } from '../config/public-address.ts';
import { createLog, type Log } from '../log.ts';
import { RETRY_DELAYS_S } from '../webhooks/delivery.ts';
import { recordEvent } from '../db/webhooks/record-event.ts';
import { createCompletionRecorder } from '../service/webhooks/completion.ts';
import { createDueDiligence } from '../service/collections/due-diligence.ts';
import { parcelDatasets } from '../service/datasets/catalogue.ts';
import { plotParcels } from '../service/parcels/plot-parcels.ts';
import { openTasks, type OpenTasksOptions } from '../db/tasks/open-tasks.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { openWorld } from '../service/world/world.ts';

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

/** Exports for the command line: through the service that holds the embedded database open when one runs, else directly. */
export async function openExportAdmin(config: Config): Promise<{ readonly exports: ExportAdmin } & AsyncDisposable> {
  const running = await connectRunning(config);
  if (running !== null) return { exports: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  const { store, tasks, data } = await openForCommand(config, opened);
  const exports = createExportAdmin({
    collections: createCollectionStore(store),
    tasks,
    dueDiligence: createDueDiligence(data, config, {
      openParcels: plotParcels(() => parcelDatasets(config), config),
    }),
  });
  const kept = opened.move();
  return { exports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Opens what a command works with where no running service holds it: database, task queue and data, all closed by `opened`. */
export async function openForCommand(
  config: Config,
  opened: AsyncDisposableStack,
  hooks: Pick<OpenTasksOptions, 'onFinished' | 'onSubmitted'> = {},
) {
  const log: Log = createLog({ level: 'warn', json: false });
  const store = await openConfiguredStore(config, log);
  opened.defer(() => store.close());
  const { taskMaxQueued: maxQueued, taskRetentionDays: retentionDays } = config;
  const { tasks } = await openTasks(store, { maxQueued, retentionDays, ...hooks });
  const data = await openWorld(config, log);
  opened.defer(() => data.close());
  return { store, tasks, data };
}
