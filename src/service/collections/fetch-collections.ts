import { counted } from '../../counted.ts';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import { Problem } from '../../errors.ts';
import { POLL_AFTER_S, pollAfterS, type Tasks } from '../../jobs/task.ts';

/** Collections one request may name. */
export const MAX_FETCHED_COLLECTIONS = 100;

export interface FindCollectionsDeps {
  readonly collections: Pick<CollectionReader, 'get'>;
  readonly tasks: Pick<Tasks, 'get'>;
}

/**
 * The completed collections with these ids, in their order; with `takesUnmeasured` also those that were validated,
 * at staging or by a batch, and not measured. Throws `Problem`: `collection_not_found` for one that is not the
 * user's, `collection_not_ready` with the progress while it is processed, `collection_failed`, and `statistics_missing`
 * where measured plots are needed and none were requested.
 */
export async function findCompleted(
  deps: FindCollectionsDeps,
  userId: string,
  ids: readonly string[],
  needsStatistics: boolean,
  takesUnmeasured = false,
): Promise<readonly Collection[]> {
  const found: Collection[] = [];
  for (const id of ids) {
    const collection = await deps.collections.get(userId, id);
    if (collection === null)
      throw new Problem(
        'collection_not_found',
        `You have no collection ${JSON.stringify(id.slice(0, 100))}; wanted the id of one of yours, as GET /get_collections lists them.`,
      );
    if (takesUnmeasured && isStagedWithConfidence(collection)) {
      found.push(collection);
      continue;
    }
    await checkReady(deps, collection);
    const isMeasured = collection.options?.statistics === true;
    if (needsStatistics && !isMeasured && !(takesUnmeasured && collection.locationsConfidence !== null))
      throw new Problem(
        'statistics_missing',
        `The plots of the ${nameOf(collection)} were not measured: its batch was requested without stats.`,
      );
    found.push(collection);
  }
  return found;
}

/** Staged with validation: its locations are there with their confidence, and nothing is measured of them. */
function isStagedWithConfidence({ status, locationsConfidence }: Collection): boolean {
  return status === 'staged' && locationsConfidence !== null;
}

async function checkReady(deps: FindCollectionsDeps, collection: Collection): Promise<void> {
  const { status, userId, taskId, error, locationsConfidence } = collection;
  if (status === 'completed') return;
  if (status === 'staged')
    throw new Problem(
      'collection_not_ready',
      `The ${nameOf(collection)} is staged${locationsConfidence === null ? '' : ` with the confidence ${locationsConfidence}`}, and no batch was requested; POST /batch_process starts it.`,
    );
  if (status === 'processing') {
    const task = taskId === null ? null : await deps.tasks.get(userId, taskId);
    throw new Problem('collection_not_ready', `The ${nameOf(collection)} is being processed: ${progressText(task)}.`, {
      retryAfterS: task === null ? POLL_AFTER_S.least : pollAfterS(task, Date.now()),
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
  return total === null ? `${counted(done, 'location')} done` : `${done} of ${counted(total, 'location')} done`;
}

function nameOf({ id, name }: Collection): string {
  return `collection ${JSON.stringify(name.slice(0, 100))} (${id})`;
}
