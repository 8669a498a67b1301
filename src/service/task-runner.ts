import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { startTaskRunner, type TaskRunner } from '../tasks/start-task-runner.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import type { Dataset } from '../readers/dataset.ts';
import { forestDatasetsOf } from './catalogue.ts';
import { BATCH_TASK, CHECK_TASK } from './collection-task.ts';
import type { FacilityData, SharedFacilityData } from './facility-data.ts';
import { EXPORT_TASK } from './export-task.ts';
import { FACILITY_TASK } from './facility-task.ts';
import { FOREST_TASK } from './forest-task.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from './location-task.ts';
import { LABEL_TASK } from './store-task.ts';
import { hearFailures } from './thread-failures.ts';

/** Every kind of task there is; `task-thread.ts` has a handler for each. */
export const TASK_KINDS = [
  FACILITY_TASK,
  NORMALIZE_TASK,
  VALIDATE_TASK,
  FOREST_TASK,
  LABEL_TASK,
  BATCH_TASK,
  CHECK_TASK,
  EXPORT_TASK,
] as const;

/** What each task thread is given when it starts. */
export interface TaskThreadData {
  readonly config: Config;
  readonly data: SharedFacilityData;
  /** What forest lookups read. */
  readonly forest: readonly Dataset[];
}

/** Starts the task runner of this process once its data is ready, so that threads share the packs in memory. */
export async function startConfiguredRunner(
  config: Config,
  queue: TaskQueue,
  data: FacilityData,
  log: Log,
): Promise<TaskRunner> {
  const withForest = (shared: SharedFacilityData): TaskThreadData => ({
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
    threadEntry: new URL('../task-thread.ts', import.meta.url),
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
