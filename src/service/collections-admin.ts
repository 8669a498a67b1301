import type { Config } from '../config.ts';
import { countryCode } from '../readers/built-in/country-code.ts';
import { createCollectionStore } from '../store/collections/create-collections.ts';
import { collectionHooks } from './collection-outcome.ts';
import { createCollectionAdmin, type CollectionAdmin } from './collections-control.ts';
import { createCollectionService } from './collections.ts';
import { connectControl, controlPath } from './control.ts';
import { prepareDataFolder } from './data-folder.ts';
import { FEATURE_BYTES } from './facilities.ts';
import { createLocationService } from './locations.ts';
import { openForCommand } from './open-for-command.ts';
import { publicAddress } from './public-address.ts';

export interface OpenedCollectionAdmin extends AsyncDisposable {
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
  if (config.databaseUrl === null) prepareDataFolder(config);
  const running = config.databaseUrl === null ? await connectControl(controlPath(config.dataDir)) : null;
  if (running !== null)
    return { collections: running, hasRunner: true, countryCode, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  // No batch is completed here: only its submission and its cancellation pass through these hooks.
  const hooks = collectionHooks(
    () => publicAddress(config),
    () => Promise.resolve(false),
  );
  const { store, tasks, data } = await openForCommand(config, opened, hooks);
  const locations = createLocationService(data, config, FEATURE_BYTES.asTask);
  const collections = createCollectionService({ store: createCollectionStore(store), tasks, locations });
  const kept = opened.move();
  return {
    collections: createCollectionAdmin(collections, config),
    hasRunner: config.databaseUrl !== null,
    countryCode,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
