import type { Collection } from '../../collections/collection.ts';
import { compareRuns, type RunComparison } from '../../collections/watch/compare-runs.ts';
import type { CollectionStore } from '../../db/collections/create-collections.ts';
import { Problem } from '../../errors.ts';
import { findCompleted, type FindCollectionsDeps } from './fetch-collections.ts';

interface CompareBatchesDeps extends FindCollectionsDeps {
  readonly collections: Pick<CollectionStore, 'get' | 'records' | 'earlierRecords'>;
}

/** What a collection is compared with itself by. */
export interface ComparedBatches {
  readonly collection: Collection;
  readonly comparison: RunComparison;
}

/**
 * The last two batches of a collection, compared. Throws `Problem` like the fetch endpoints while it has no results, and
 * `not_found` where there is no batch before the last one.
 */
export async function compareBatches(
  deps: CompareBatchesDeps,
  userId: string,
  id: string,
  signal: AbortSignal,
): Promise<ComparedBatches> {
  const [found] = await findCompleted(deps, userId, [id], true);
  const collection = found!;
  const { earlier, options } = collection;
  if (earlier === null || options === null)
    throw new Problem(
      'not_found',
      'The collection was processed once: there is no batch before it to compare it with. Process it again.',
    );
  if (!earlier.options.statistics)
    throw new Problem('not_found', 'The batch before the last one measured nothing: there is nothing to compare.');
  const records = {
    before: deps.collections.earlierRecords(collection),
    after: deps.collections.records(collection),
  };
  return { collection, comparison: await compareRuns({ ...collection, options }, earlier, records, signal) };
}
