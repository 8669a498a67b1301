import type { Config } from '../../config/settings.ts';
import { createCollectionStore } from '../../db/collections/create-collections.ts';
import { openTasks } from '../../db/tasks/open-tasks.ts';
import { createWatchStore } from '../../db/watches/create-watches.ts';
import { createLog } from '../../log.ts';
import { openConfiguredStore } from '../../service/open-configured-store.ts';
import { createWatchService } from '../../service/watches/watches.ts';
import { connectRunning } from '../control.ts';
import { createWatchAdmin, type WatchAdmin } from './watch-control.ts';

interface OpenedWatchAdmin extends AsyncDisposable {
  readonly watches: WatchAdmin;
}

/** Through the service that holds the embedded database open when one runs, otherwise in the database itself. */
export async function openWatchAdmin(config: Config): Promise<OpenedWatchAdmin> {
  const running = await connectRunning(config);
  if (running !== null) return { watches: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  opened.defer(() => store.close());
  const { taskMaxQueued: maxQueued, taskRetentionDays: retentionDays } = config;
  const { tasks } = await openTasks(store, { maxQueued, retentionDays });
  const service = createWatchService({
    store: createWatchStore(store),
    collections: createCollectionStore(store),
    tasks,
  });
  const kept = opened.move();
  return { watches: createWatchAdmin(service), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
