import type { Config } from '../config/settings.ts';
import type { Log } from '../log.ts';
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
}

/** Starts the task runner of this process once its data is ready, so that threads share the packs in memory. */
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
  });
  let threadData = withForest(await data.share());
  /** The same object while nothing was installed, listed or removed. */
  const currentData = async (): Promise<TaskThreadData> => {
    await data.refresh();
    const now = await data.shareNow();
    if (now !== threadData.data) threadData = withForest(now);
    return threadData;
  };
  const hearNoMore = hearFailures((what, error) => log.warn({ what, err: error }, 'a source failed'));
  const runner = startTaskRunner({
    queue,
    kinds: TASK_KINDS,
    concurrency: config.taskConcurrency,
    threadEntry: new URL('./threads/task-thread.ts', import.meta.url),
    threadData,
    currentData,
    maxRuntimeS: config.taskMaxRuntimeS,
    log,
  });
  return {
    status: runner.status,
    async stop(drainMs) {
      await runner.stop(drainMs).finally(hearNoMore);
    },
  };
}
