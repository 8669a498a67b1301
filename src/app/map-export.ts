import type { Config } from '../config/settings.ts';
import { createCollectionStore } from '../db/collections/create-collections.ts';
import { readTasks } from '../db/tasks/create-tasks.ts';
import { openFileWorkHere } from '../service/files/file-work.ts';
import { createFileHandlers } from '../service/files/handlers.ts';
import { openMapSets } from '../service/gis/open-map-sets.ts';
import { openForCommand } from './collections-admin.ts';
import { connectRunning } from './control.ts';
import { createMapExport, type MapExport } from './map-control.ts';

/** Maps for the command line: through the service that holds the embedded database open when one runs, else directly. */
export async function openMapExport(config: Config): Promise<{ readonly maps: MapExport } & AsyncDisposable> {
  const running = await connectRunning(config);
  if (running !== null) return { maps: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  const { store, data } = await openForCommand(config, opened);
  const files = openFileWorkHere(createFileHandlers(data, config));
  const collections = createCollectionStore(store);
  const maps = openMapSets({ collections, tasks: readTasks(store), files, data, forest: null, config });
  opened.defer(() => maps.close());
  const kept = opened.move();
  return { maps: createMapExport(maps), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
