import type { Config } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { Tasks } from '../../jobs/task.ts';
import type { World } from '../world/world.ts';
import type { ParcelService } from './parcel-service.ts';
import { createRenewable } from '../world/renewable.ts';

/** Most features of one request. */
export const MAX_PARCEL_FEATURES = 100;

/**
 * The parcel search over the datasets of the catalogue as they are at the time of the request. Its readers and projections are loaded with the
 * first search; where the operator names datasets they are looked at now. Throws a `ConfigError` for an entry that cannot be used.
 */
export async function openParcelService(
  config: Config,
  tasks: Tasks,
  data: Pick<World, 'catalogue' | 'refresh'>,
  log: Log,
): Promise<ParcelService> {
  const search = createRenewable<readonly Dataset[], ParcelService>({
    async look() {
      await data.refresh();
      return data.catalogue;
    },
    async open(datasets) {
      const { openParcelSearch } = await import('./search.ts');
      const parcels = datasets.filter(({ role }) => role === 'parcels');
      return openParcelSearch(parcels, config, tasks, log);
    },
    onFault: (error) => log.error({ err: error }, 'parcel datasets cannot be opened; those known before answer'),
  });
  if (config.catalogue !== null) await search.use(async () => {});
  return {
    search: (features, question) => search.use((parcels) => parcels.search(features, question)),
    close: () => search.close(),
  };
}
