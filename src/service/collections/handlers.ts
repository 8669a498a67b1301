import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { TaskHandler } from '../../jobs/task.ts';
import { batchTask, type BatchParts } from './batch.ts';
import { BATCH_TASK, CHECK_TASK, type CollectionTaskKind } from './collection-task.ts';
import { createDueDiligence } from './due-diligence.ts';
import type { World } from '../world/world.ts';
import type { LocationService } from '../locations/locations.ts';
import type { ReportFailure } from '../plots/passes.ts';
import { openPlotStatistics, type PlotMeasurer } from '../plots/statistics.ts';

/** The tasks of collections as a thread works on them. Rasters are opened by its first batch that measures, and kept. */
export function collectionHandlers(
  locations: LocationService,
  data: World,
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
    writeReport: createDueDiligence(data, config, { report: reportFailure }).writeReport,
  };
  const batch = batchTask(parts);
  return { [BATCH_TASK]: batch, [CHECK_TASK]: batch };
}
