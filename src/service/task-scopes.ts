import type { Scope } from '../auth/principal.ts';
import { BATCH_TASK, CHECK_TASK } from './collection-task.ts';
import { EXPORT_TASK } from './export-task.ts';
import { FACILITY_TASK } from './facility-task.ts';
import { FOREST_TASK } from './forest-task.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from './location-task.ts';
import { LABEL_TASK } from './store-task.ts';
import type { TASK_KINDS } from './task-runner.ts';

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
