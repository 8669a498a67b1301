import type { Config } from '../config/settings.ts';
import type { Log } from '../log.ts';
import { compileCacheFolder } from '../jobs/compile-cache.ts';
import { startTaskRunner, type TaskRunner } from '../jobs/start-task-runner.ts';
import type { TaskQueue } from '../jobs/task-queue.ts';
import type { Dataset } from '../readers/catalogue/dataset.ts';
import { forestDatasetsOf } from '../service/datasets/catalogue.ts';
import type { World, SharedWorld } from '../service/world/world.ts';
import { TASK_KINDS } from '../service/task-kinds.ts';
import { hearFailures } from '../service/files/thread-failures.ts';

/** What each task thread is given when it starts. */
export interface TaskThreadData {
  readonly config: Config;
  readonly data: SharedWorld;
  /** What forest lookups read. */
  readonly forest: readonly Dataset[];
  /** The compile cache of the process; null: it has none. */
  readonly compileCache: string | null;
}

/**
 * Starts the task runner of this process once its data is there; it is read for the first task, into memory that threads share.
 */
export async function startConfiguredRunner(
  config: Config,
  queue: TaskQueue,
  data: World,
  log: Log,
): Promise<TaskRunner> {
  const withForest = (shared: SharedWorld): TaskThreadData => ({
    config,
    data: shared,
    forest: forestDatasetsOf(shared.datasets),
    compileCache: compileCacheFolder(),
  });
  await data.present;
  let threadData: TaskThreadData | null = null;
  /** The same object while nothing was installed, listed or removed. */
  const currentData = async (): Promise<TaskThreadData> => {
    await data.refresh();
    const now = await data.shareNow();
    if (threadData === null || now !== threadData.data) threadData = withForest(now);
    return threadData;
  };
  const hearNoMore = hearFailures((what, error) => log.warn({ what, err: error }, 'a source failed'));
  const runner = startTaskRunner({
    queue,
    kinds: TASK_KINDS,
    concurrency: config.taskConcurrency,
    threadEntry: new URL('./threads/task-thread.ts', import.meta.url),
    threadData: null,
    currentData,
    maxRuntimeS: config.taskMaxRuntimeS,
    hasSpare: true,
    log,
  });
  return {
    status: runner.status,
    async stop(drainMs) {
      await runner.stop(drainMs).finally(hearNoMore);
    },
  };
}

/** A runner that begins once the data is ready: the first start packs it, and HTTP must not wait for that. */
export function runWhenReady(
  config: Config,
  queue: TaskQueue,
  data: World,
  log: Log,
  closing: AbortSignal,
): TaskRunner {
  let runner: TaskRunner | null = null;
  let fault: string | null = 'the data is being prepared';
  const starting = startConfiguredRunner(config, queue, data, log).then(
    (started) => (runner = started),
    (error: unknown) => {
      fault = (error as Error).message;
      if (!closing.aborted) log.error({ err: error }, 'no tasks are run: the data could not be opened');
      return null;
    },
  );
  return {
    status: () => runner?.status() ?? { running: 0, concurrency: config.taskConcurrency, fault },
    stop: async (drainMs) => (await starting)?.stop(drainMs),
  };
}
