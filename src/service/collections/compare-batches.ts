import type { BatchRun, Collection } from '../../collections/collection.ts';
import { compareRuns, type RunComparison } from '../../collections/watch/compare-runs.ts';
import type { CollectionStore } from '../../db/collections/create-collections.ts';
import { Problem } from '../../errors.ts';
import { findCompleted, type FindCollectionsDeps } from './fetch-collections.ts';

interface CompareBatchesDeps extends FindCollectionsDeps {
  readonly collections: Pick<CollectionStore, 'get' | 'records' | 'recordsOfRun'>;
}

/** Which two `runs` of a collection are compared, by their ids. */
export interface RunChoice {
  /** Default: the last one. */
  readonly after?: string;
  /** Default: the one before `after`. */
  readonly before?: string;
}

/** What a collection is compared with itself by. */
export interface ComparedBatches {
  readonly collection: Collection;
  readonly comparison: RunComparison;
}

/**
 * Two batches of a collection, compared. Throws `Problem` like the fetch endpoints while it has no results, `not_found` where there
 * is no batch before, or one of the two measured nothing, and `invalid_parameter` for a choice that is none.
 */
export async function compareBatches(
  deps: CompareBatchesDeps,
  userId: string,
  id: string,
  choice: RunChoice,
  signal: AbortSignal,
): Promise<ComparedBatches> {
  const [found] = await findCompleted(deps, userId, [id], true);
  const collection = found!;
  const runs = chooseRuns(collection.runs, choice);
  if (!runs.before.options.statistics || !runs.after.options.statistics)
    throw new Problem('not_found', 'One of the two batches measured nothing: there is nothing to compare.');
  const records = {
    before: deps.collections.recordsOfRun(collection, runs.before.id),
    after: deps.collections.recordsOfRun(collection, runs.after.id),
  };
  return { collection, comparison: await compareRuns(runs, records, signal) };
}

/** `runs` are the newest first. */
function chooseRuns(runs: readonly BatchRun[], choice: RunChoice): Pick<RunComparison, 'before' | 'after'> {
  const [later, earlier] = [placeOf(runs, choice, 'after') ?? 0, placeOf(runs, choice, 'before')];
  if (earlier !== null && earlier <= later)
    throw unusable('before', 'before: wanted a batch that was completed before the one of after.');
  const [after, before] = [runs[later], runs[earlier ?? later + 1]];
  if (after === undefined || before === undefined)
    throw new Problem(
      'not_found',
      runs.length > 1
        ? 'No batch is kept from before this one to compare it with.'
        : 'The collection was processed once: there is no batch before it to compare it with. Process it again.',
    );
  return { before, after };
}

function placeOf(runs: readonly BatchRun[], choice: RunChoice, name: keyof RunChoice): number | null {
  const wanted = choice[name];
  if (wanted === undefined) return null;
  const place = runs.findIndex(({ id }) => id === wanted);
  if (place < 0)
    throw unusable(
      name,
      `${name}: wanted the run_id of one of the runs of the collection; got ${JSON.stringify(wanted)}.`,
    );
  return place;
}

function unusable(name: keyof RunChoice, detail: string): Problem {
  return new Problem('invalid_parameter', detail, { errors: [{ pointer: `/query/${name}`, code: 'invalid', detail }] });
}
