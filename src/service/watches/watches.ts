import type { Language } from '../../messages/languages.ts';
import { plotFinding } from '../../collections/watch/plot-finding.ts';
import type { KnownFinding } from '../../collections/watch/compare-findings.ts';
import type { Watch, WatchRun, WatchRunDetail } from '../../collections/watch/watch.ts';
import type { CollectionStore } from '../../db/collections/create-collections.ts';
import type { WatchStore } from '../../db/watches/create-watches.ts';
import { Problem } from '../../errors.ts';
import type { Tasks } from '../../jobs/task.ts';
import { compareBatches, type ComparedBatches, type RunChoice } from '../collections/compare-batches.ts';
import { findCompleted } from '../collections/fetch-collections.ts';

/** Runs that are shown of one watch. */
const RUNS_SHOWN = 50;

/** A watch with its newest runs. */
export interface WatchDetail {
  readonly watch: Watch | null;
  readonly runs: readonly WatchRun[];
}

/** Watched collections as HTTP and the command line use them. Methods throw `Problem('collection_not_found')`. */
export interface WatchService {
  /**
   * Watches a collection whose plots were measured; as it is where it is watched already. Its first run follows at the next look
   * at the data. Throws `Problem` like the fetch endpoints for one that was not measured.
   */
  watch(userId: string, collectionId: string, email: string | null, language?: Language): Promise<WatchDetail>;
  /** Throws `Problem('not_found')` where it is not watched. */
  unwatch(userId: string, collectionId: string): Promise<void>;
  list(userId: string): Promise<readonly Watch[]>;
  /** `watch` is null where it is not watched; runs of an earlier watch stay. */
  show(userId: string, collectionId: string): Promise<WatchDetail>;
  /** Two batches of a collection, compared, as `compareBatches` says. */
  compare(userId: string, collectionId: string, choice: RunChoice, signal: AbortSignal): Promise<ComparedBatches>;
  /** Throws `Problem('not_found')`. */
  run(userId: string, collectionId: string, number: number): Promise<WatchRunDetail>;
}

interface WatchServiceParts {
  readonly store: WatchStore;
  readonly collections: CollectionStore;
  readonly tasks: Pick<Tasks, 'get'>;
}

export function createWatchService({ store, collections, tasks }: WatchServiceParts): WatchService {
  async function mine(userId: string, id: string): Promise<void> {
    if ((await collections.get(userId, id)) === null)
      throw new Problem('collection_not_found', 'You have no collection with this id.');
  }

  async function show(userId: string, id: string): Promise<WatchDetail> {
    const [watch = null] = await store.list(userId, id);
    return { watch, runs: await store.runs(userId, id, RUNS_SHOWN) };
  }

  return {
    async watch(userId, id, email, language = 'en') {
      const [watched] = await store.list(userId, id);
      if (watched !== undefined) return await show(userId, id);
      const [collection] = await findCompleted({ collections, tasks }, userId, [id], true);
      const known: KnownFinding[] = [];
      for await (const record of collections.records(collection!)) {
        const finding = plotFinding(record, collection!);
        if (finding === null) continue;
        const { silent: _silent, problem: _problem, ...found } = finding;
        known.push(found);
      }
      await store.add({ collectionId: collection!.id, email, language, known });
      return await show(userId, id);
    },
    async unwatch(userId, id) {
      await mine(userId, id);
      if (!(await store.remove(userId, id))) throw new Problem('not_found', 'The collection is not watched.');
    },
    compare: (userId, id, choice, signal) => compareBatches({ collections, tasks }, userId, id, choice, signal),
    list: (userId) => store.list(userId),
    async show(userId, id) {
      await mine(userId, id);
      return await show(userId, id);
    },
    async run(userId, id, number) {
      await mine(userId, id);
      const run = await store.run(userId, id, number);
      if (run === null) throw new Problem('not_found', `The collection has no run ${number} of a watch.`);
      return run;
    },
  };
}
