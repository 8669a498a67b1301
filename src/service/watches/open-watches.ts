import type { Config } from '../../config/settings.ts';
import { createCollectionStore } from '../../db/collections/create-collections.ts';
import type { Store } from '../../db/open-store.ts';
import { createWatchStore } from '../../db/watches/create-watches.ts';
import type { Tasks } from '../../jobs/task.ts';
import type { Log } from '../../log.ts';
import type { RecordCompletion } from '../webhooks/completion.ts';
import type { World } from '../world/world.ts';
import { beginRuns, startWatcher, type Watcher } from './start-watcher.ts';
import { createWatchService, type WatchService } from './watches.ts';

interface WatchesOptions {
  readonly store: Store;
  readonly config: Pick<Config, 'watchEveryS'>;
  readonly tasks: Tasks;
  readonly data: Pick<World, 'catalogue' | 'refresh'>;
  readonly recordCompletion: RecordCompletion;
  /** Where clients reach the service. */
  readonly address: () => string;
  readonly log: Log;
  /** False leaves the runs to other processes. */
  readonly run: boolean;
}

/** Watched collections of a process, and what measures them again. */
interface OpenedWatches {
  readonly service: WatchService;
  close(drainMs: number): Promise<void>;
}

export function openWatches({ store, config, run, ...parts }: WatchesOptions): OpenedWatches {
  const watches = createWatchStore(store);
  const collections = createCollectionStore(store);
  const service = createWatchService({ store: watches, collections, tasks: parts.tasks });
  const watcher = run
    ? startWatcher({ ...parts, store: watches, collections, everyMs: config.watchEveryS * 1_000 })
    : leaveRuns({ ...parts, store: watches });
  return {
    service: {
      ...service,
      async watch(...given) {
        const watched = await service.watch(...given);
        watcher.look();
        return watched;
      },
    },
    close: (drainMs) => watcher.stop(drainMs),
  };
}

/** Begins the first run of a watch, which other processes work on: they look at open runs all the time, and seldom for new ones. */
function leaveRuns(parts: Parameters<typeof beginRuns>[0]): Watcher {
  let looking: Promise<void> = Promise.resolve();
  return {
    look() {
      const failed = (error: unknown): void =>
        parts.log.warn({ err: error }, 'the first run of a watch waits until a worker looks for it');
      looking = looking.then(() => beginRuns(parts)).catch(failed);
    },
    stop: () => looking,
  };
}
