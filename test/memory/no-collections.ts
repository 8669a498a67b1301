import { Problem } from '../../src/errors.ts';
import type { CollectionService } from '../../src/service/collections/collections.ts';

/** Collections of nobody: for tests of everything that only needs the routes to be there. */
export function noCollections(): CollectionService {
  const none = async (): Promise<never> => {
    throw new Problem('collection_not_found', 'You have no collection with this id.');
  };
  return {
    find: none,
    findByTask: none,
    stage: none,
    process: none,
    preview: none,
    lastTask: async () => null,
    reportEmail: async () => null,
    reportAddress: async () => null,
    list: async () => [],
    count: async () => ({}),
    delete: none,
  };
}
