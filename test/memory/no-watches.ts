import { Problem } from '../../src/errors.ts';
import type { WatchService } from '../../src/service/watches/watches.ts';

/** Watches of nobody: for tests of everything that only needs the routes to be there. */
export function noWatches(): WatchService {
  const none = async (): Promise<never> => {
    throw new Problem('collection_not_found', 'You have no collection with this id.');
  };
  return { watch: none, unwatch: none, list: async () => [], show: none, compare: none, run: none };
}
