import type { Config } from '../config.ts';
import type { Dataset } from '../readers/dataset.ts';
import type { TaskHandler } from '../tasks/task.ts';
import { batchTask, checkTask, type BatchParts } from './collection-batch.ts';
import { BATCH_TASK, CHECK_TASK, type CollectionTaskKind } from './collection-task.ts';
import { createDueDiligence } from './due-diligence.ts';
import type { FacilityData } from './facility-data.ts';
import type { LocationService } from './locations.ts';
import type { ReportFailure } from './plot-passes.ts';
import { openPlotStatistics, type PlotMeasurer } from './plot-statistics.ts';

/** The tasks of collections as a thread works on them. Rasters are opened by its first batch that measures, and kept. */
export function collectionHandlers(
  locations: LocationService,
  data: FacilityData,
  datasets: readonly Dataset[],
  config: Config,
  reportFailure: ReportFailure,
): Readonly<Record<CollectionTaskKind, TaskHandler>> {
  let measurer: PlotMeasurer | null = null;
  const parts: BatchParts = {
    locations,
    data,
    config,
    measure: (plots, signal) =>
      (measurer ??= openPlotStatistics(datasets, config, reportFailure)).measure(plots, signal),
    writeReport: createDueDiligence(data).writeReport,
  };
  return { [BATCH_TASK]: batchTask(parts), [CHECK_TASK]: checkTask(parts) };
}
