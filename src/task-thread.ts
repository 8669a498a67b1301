import { workerData } from 'node:worker_threads';
import { createFacilityService, FEATURE_BYTES } from './service/facilities.ts';
import { openSharedFacilityData } from './service/facility-data.ts';
import { FACILITY_TASK, facilityTask } from './service/facility-task.ts';
import type { TASK_KINDS, TaskThreadData } from './service/task-runner.ts';
import { runTaskThread } from './tasks/run-task-thread.ts';
import type { TaskHandler } from './tasks/task.ts';

const { config, data } = workerData as TaskThreadData;
const facilities = createFacilityService(openSharedFacilityData(data), config, FEATURE_BYTES.asTask);

runTaskThread({ [FACILITY_TASK]: facilityTask(facilities) } satisfies Record<(typeof TASK_KINDS)[number], TaskHandler>);
