import type { Config } from '../../config/settings.ts';
import { createLargeGeometryTurn, type LargeGeometryTurn } from '../../geo/shapes/large-geometry.ts';
import { compileCacheFolder } from '../../jobs/compile-cache.ts';
import type { Log } from '../../log.ts';
import type { World, SharedWorld } from '../world/world.ts';
import { createFileHandlers } from './handlers.ts';
import { openFileWork, type FileWork } from './file-work.ts';
import { hearFailures } from './thread-failures.ts';

/** What each thread that works on files is given when it starts. */
export interface FileThreadData {
  readonly config: Config;
  readonly data: SharedWorld;
  readonly turn: LargeGeometryTurn;
  readonly compileCache: string | null;
  /** The number of files whose facilities are being rated or whose rows are being answered, which share the helpers. */
  readonly rated: Int32Array<SharedArrayBuffer>;
}

/** Work on uploaded files with the data of this process; threads share its packs in memory. */
export function openConfiguredFileWork(config: Config, data: World, log: Log): FileWork {
  const turn = createLargeGeometryTurn();
  const rated = new Int32Array(new SharedArrayBuffer(4));
  let current: FileThreadData | null = null;
  // A task runner in this process hears of failures in every thread already.
  const hearNoMore = config.runTasks
    ? null
    : hearFailures((what, error) => log.warn({ what, err: error }, 'a source failed'));
  const work = openFileWork(createFileHandlers(data, config), {
    threads: config.fileThreads,
    memoryMb: config.fileMemoryMb,
    entry: new URL('../../app/threads/file-thread.ts', import.meta.url),
    log,
    turn,
    onWork: (kind, files) => {
      if (kind === 'rate_facilities' || kind === 'answer_locations') Atomics.add(rated, 0, files);
    },
    async currentData() {
      await data.refresh();
      const shared = await data.shareNow();
      if (current?.data !== shared) current = { config, data: shared, turn, compileCache: compileCacheFolder(), rated };
      return current;
    },
  });
  return {
    ...work,
    async close() {
      await work.close();
      hearNoMore?.();
    },
  };
}
