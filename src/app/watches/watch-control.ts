import type { Watch, WatchRunDetail } from '../../collections/watch/watch.ts';
import type { ComparedBatches, RunChoice } from '../../service/collections/compare-batches.ts';
import type { WatchDetail, WatchService } from '../../service/watches/watches.ts';

/** What the command line does with watched collections. Methods throw `Problem('collection_not_found')`. */
export interface WatchAdmin {
  watchCollection(request: { readonly userId: string; readonly id: string }): Promise<WatchDetail>;
  unwatchCollection(request: { readonly userId: string; readonly id: string }): Promise<void>;
  listWatches(request: { readonly userId: string }): Promise<readonly Watch[]>;
  showWatch(request: { readonly userId: string; readonly id: string }): Promise<WatchDetail>;
  showWatchRun(request: {
    readonly userId: string;
    readonly id: string;
    readonly run: number;
  }): Promise<WatchRunDetail>;
  /** Two batches of a collection. */
  compareCollection(request: { readonly userId: string; readonly id: string } & RunChoice): Promise<ComparedBatches>;
}

export function createWatchAdmin(watches: WatchService): WatchAdmin {
  return {
    watchCollection: ({ userId, id }) => watches.watch(userId, id, null),
    unwatchCollection: ({ userId, id }) => watches.unwatch(userId, id),
    listWatches: ({ userId }) => watches.list(userId),
    showWatch: ({ userId, id }) => watches.show(userId, id),
    compareCollection: ({ userId, id, ...choice }) => watches.compare(userId, id, choice, new AbortController().signal),
    showWatchRun: ({ userId, id, run }) => watches.run(userId, id, run),
  };
}
