import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Tasks } from '../tasks/task.ts';
import { parcelDatasets } from './catalogue.ts';
import type { ParcelService } from './parcel-service.ts';

/**
 * The parcel search over the datasets of the catalogue. Its readers and projections are loaded with the first search; where
 * the operator names datasets they are looked at now. Throws a `ConfigError` for an entry that cannot be used.
 */
export async function openParcelService(config: Config, tasks: Tasks, log: Log): Promise<ParcelService> {
  const datasets = await parcelDatasets(config);
  let opening: Promise<ParcelService> | null = null;
  const open = (): Promise<ParcelService> =>
    (opening ??= import('./parcel-search.ts').then(({ openParcelSearch }) =>
      openParcelSearch(datasets, config, tasks, log),
    ));
  if (config.catalogue !== null) await open();
  return {
    search: async (features, search) => (await open()).search(features, search),
    close: async () => (await opening)?.close(),
  };
}
