import { workerData } from 'node:worker_threads';
import { collectionHandlers } from '../../service/collections/handlers.ts';
import { createDueDiligence } from '../../service/collections/due-diligence.ts';
import { EXPORT_TASK, exportTask } from '../../service/collections/export-task.ts';
import { createFacilityService, FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { openSharedWorld } from '../../service/world/world.ts';
import { FACILITY_TASK, facilityTask } from '../../service/facilities/facility-task.ts';
import { openLookupReporter } from '../../service/forest/lookups.ts';
import { openForestSources, type OpenedForestSources } from '../../service/forest/sources.ts';
import { FOREST_TASK, forestTask } from '../../service/forest/task.ts';
import { buildSources } from '../../service/labels/embeddings.ts';
import { locationTask, NORMALIZE_TASK, VALIDATE_TASK } from '../../service/locations/location-task.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { LABEL_TASK, labelTask } from '../../service/labels/store-task.ts';
import { openFailureReporter } from '../../service/files/thread-failures.ts';
import { plotParcels } from '../../service/parcels/plot-parcels.ts';
import type { TaskThreadData } from '../task-runner.ts';
import type { TASK_KINDS } from '../../service/task-kinds.ts';
import { runTaskThread } from '../../jobs/run-task-thread.ts';
import type { TaskHandler } from '../../jobs/task.ts';

const { config, data, forest } = workerData as TaskThreadData;
const reportFailure = openFailureReporter();
const facilityData = openSharedWorld(data, reportFailure);
const facilities = createFacilityService(facilityData, config, FEATURE_BYTES.asTask);
const locationService = createLocationService(facilityData, config, FEATURE_BYTES.asTask);
const locations = locationTask(locationService, facilityData, config);

const parcelsOfPlots = plotParcels(async () => data.datasets.filter(({ role }) => role === 'parcels'), config);

/** Opened by the first forest task of the thread and kept. */
let opened: Promise<OpenedForestSources> | null = null;
const forestSources = async () => (await (opened ??= openForestSources(forest, config))).current();

runTaskThread({
  [FACILITY_TASK]: facilityTask(facilities),
  [NORMALIZE_TASK]: locations,
  [VALIDATE_TASK]: locations,
  [FOREST_TASK]: forestTask(forestSources, config, openLookupReporter()),
  [LABEL_TASK]: labelTask(buildSources(forest, config)),
  [EXPORT_TASK]: exportTask(
    createDueDiligence(facilityData, config, { openParcels: parcelsOfPlots, report: reportFailure }),
  ),
  ...collectionHandlers(locationService, facilityData, data.datasets, config, reportFailure),
} satisfies Record<(typeof TASK_KINDS)[number], TaskHandler>);
