import { BATCH_TASK, CHECK_TASK } from './collections/collection-task.ts';
import { EXPORT_TASK } from './collections/export-task.ts';
import { FACILITY_TASK } from './facilities/facility-task.ts';
import { FOREST_TASK } from './forest/task.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from './locations/location-task.ts';
import { LABEL_TASK } from './labels/store-task.ts';

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
