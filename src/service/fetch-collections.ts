import type { Collection, CollectionReader } from '../collections/collection.ts';
import { Problem } from '../errors.ts';
import type { Tasks } from '../tasks/task.ts';

/** Collections one request may name. */
export const MAX_FETCHED_COLLECTIONS = 100;

/** Seconds a client should leave before it asks again for a collection that is being processed. */
const ASK_AGAIN_S = 5;

export interface FindCollectionsDeps {
  readonly collections: Pick<CollectionReader, 'get'>;
  readonly tasks: Pick<Tasks, 'get'>;
}

/**
 * The completed collections with these ids, in their order. Throws `Problem`: `collection_not_found` for one that is not the
 * user's, `collection_not_ready` with the progress while it is processed, `collection_failed`, and `statistics_missing`
 * where measured plots are needed and none were asked for.
 */
export async function findCompleted(
  deps: FindCollectionsDeps,
  userId: string,
  ids: readonly string[],
  needsStatistics: boolean,
): Promise<readonly Collection[]> {
  const found: Collection[] = [];
  for (const id of ids) {
    const collection = await deps.collections.get(userId, id);
    if (collection === null)
      throw new Problem(
        'collection_not_found',
        `You have no collection ${JSON.stringify(id.slice(0, 100))}; wanted the id of one of yours, as GET /get_collections lists them.`,
      );
    await checkReady(deps, collection);
    if (needsStatistics && collection.options?.statistics !== true)
      throw new Problem(
        'statistics_missing',
        `The plots of the ${nameOf(collection)} were not measured: its batch was asked for without stats.`,
      );
    found.push(collection);
  }
  return found;
}

async function checkReady(deps: FindCollectionsDeps, collection: Collection): Promise<void> {
  const { status, userId, taskId, error, locationsConfidence } = collection;
  if (status === 'completed') return;
  if (status === 'staged')
    throw new Problem(
      'collection_not_ready',
      `The ${nameOf(collection)} is staged${locationsConfidence === null ? '' : ` with the confidence ${locationsConfidence}`}, and its batch was not asked for; POST /batch_process starts it.`,
    );
  if (status === 'processing') {
    const task = taskId === null ? null : await deps.tasks.get(userId, taskId);
    throw new Problem('collection_not_ready', `The ${nameOf(collection)} is being processed: ${progressText(task)}.`, {
      retryAfterS: ASK_AGAIN_S,
    });
  }
  throw new Problem(
    'collection_failed',
    `The batch of the ${nameOf(collection)} ${status === 'cancelled' ? 'was cancelled' : `failed: ${error?.detail ?? 'see its task'}`}`,
  );
}

function progressText(task: Awaited<ReturnType<Tasks['get']>>): string {
  if (task === null) return 'it is about to begin';
  const { done, total } = task.progress;
  return total === null ? `${done} locations done` : `${done} of ${total} locations done`;
}

function nameOf({ id, name }: Collection): string {
  return `collection ${JSON.stringify(name.slice(0, 100))} (${id})`;
}
