import { ConfigError, type Config } from '../../config/settings.ts';
import type { WrittenPatch } from '../../forest/feature-text.ts';
import { questionOf } from '../../forest/find-patches.ts';
import type { Crs } from '../../geo/crs/find-crs.ts';
import type { Log } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { forestDatasets } from '../datasets/catalogue.ts';
import { fileVersion } from '../world/file-version.ts';
import { forestLookupOf, hearLookups, type ForestLookup } from './lookups.ts';
import { openForestPool, type ForestPool } from './pool.ts';
import { createRenewable } from '../world/renewable.ts';

/** Most features of one request. */
export const MAX_FOREST_FEATURES = 100;
/** MB of heap after which a forest thread dies alone. */
const THREAD_HEAP_MB = 384;

/** What a forest thread is given when it starts. */
export interface ForestThreadData {
  readonly config: Config;
  /** The datasets of the roles `embeddings` and `forest-labels`. */
  readonly datasets: readonly Dataset[];
}

export interface ForestService {
  /** The patch of each feature, in their order; users take turns. Throws `Problem('queue_full')` and what the signal is aborted with. */
  lookUp(
    userId: string,
    features: readonly unknown[],
    crs: Crs,
    signal: AbortSignal,
    rawOutline?: boolean,
  ): Promise<readonly WrittenPatch[]>;
  /** Calls the listener after each lookup of this process from then on, those of tasks included. */
  onLookup(listener: (lookup: ForestLookup) => void): void;
  status: ForestPool['status'];
  close(): Promise<void>;
}

/**
 * Answers requests in worker threads; what a thread needs is opened when the first lookup reaches it. Threads are renewed when
 * the operator's catalogue changes. Throws a
 * `ConfigError` for a catalogue entry that no reader can read.
 *
 * @param threadEntry the file a thread runs.
 */
export async function openForestService(
  config: Config,
  log: Log,
  threadEntry: URL = new URL('../../app/threads/forest-thread.ts', import.meta.url),
): Promise<ForestService> {
  const listeners: ((lookup: ForestLookup) => void)[] = [];
  const report = (lookup: ForestLookup): void => {
    for (const listener of listeners) listener(lookup);
  };
  const hearNoMore = hearLookups(report);
  const pools = createRenewable<string, ForestPool>({
    look: async () => (config.catalogue === null ? '' : fileVersion(config.catalogue)),
    async open() {
      const datasets = await forestDatasets(config);
      if (config.catalogue !== null) await checkDatasets(datasets, config);
      const data: ForestThreadData = { config, datasets };
      return openForestPool({
        entry: threadEntry,
        data,
        heapMb: THREAD_HEAP_MB,
        threads: config.forestThreads,
        maxWaiting: config.forestMaxQueued,
        pointTimeoutMs: config.forestPointTimeoutMs,
        log,
        onLookup: (patch, seconds) => report(forestLookupOf(patch, seconds)),
      });
    },
    onFault: (error) => log.error({ err: error }, 'forest datasets cannot be opened; those known before answer'),
  });
  await pools.use(async () => {});
  return {
    lookUp(userId, features, crs, signal, rawOutline = false) {
      const questions = features.map(questionOf);
      for (const { refused } of questions) if (refused !== null) report(forestLookupOf(refused, 0));
      const options = { userId, crs: crs.name, rawOutline, timeoutMs: config.forestBatchTimeoutMs, signal };
      return pools.use((pool) => pool.run(questions, options));
    },
    onLookup: (listener) => void listeners.push(listener),
    status: () => pools.current()!.status(),
    close() {
      hearNoMore();
      return pools.close();
    },
  };
}

/** The built-in entries are known to be right, so that the readers are loaded in their threads alone. */
async function checkDatasets(datasets: readonly Dataset[], config: Config): Promise<void> {
  const { openForestSources } = await import('./sources.ts');
  try {
    await (await openForestSources(datasets, config)).close();
  } catch (error) {
    throw new ConfigError(`CATALOGUE: ${(error as Error).message}`, { cause: error });
  }
}
