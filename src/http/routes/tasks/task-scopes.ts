import type { Scope } from '../../../auth/principal.ts';
import { BATCH_TASK, CHECK_TASK } from '../../../service/collections/collection-task.ts';
import { EXPORT_TASK } from '../../../service/collections/export-task.ts';
import { FACILITY_TASK } from '../../../service/facilities/facility-task.ts';
import { FOREST_TASK } from '../../../service/forest/task.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from '../../../service/locations/location-task.ts';
import { LABEL_TASK } from '../../../service/labels/store-task.ts';
import type { TASK_KINDS } from '../../../service/task-kinds.ts';

/** The scope that begins a task of each kind, and that its state, results and cancellation need as well. */
export const TASK_SCOPES: Readonly<Record<string, Scope>> = {
  [FACILITY_TASK]: 'validate',
  [NORMALIZE_TASK]: 'validate',
  [VALIDATE_TASK]: 'validate',
  [FOREST_TASK]: 'forest',
  [LABEL_TASK]: 'admin',
  [BATCH_TASK]: 'collections',
  [CHECK_TASK]: 'collections',
  [EXPORT_TASK]: 'collections',
} satisfies Record<(typeof TASK_KINDS)[number], Scope>;
