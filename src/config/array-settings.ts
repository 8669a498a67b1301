import { optional, setting, wholeNumber } from './parsers.ts';

const index = optional(wholeNumber(0, 999_999));

/** What array jobs say of themselves, which `store build --part auto` reads. */
export const ARRAY_SETTINGS = {
  jobCompletionIndex: setting(
    'JOB_COMPLETION_INDEX',
    '',
    index,
    'Set by Kubernetes in an indexed Job: which part of the tiles `firstmile store build --part auto/N` builds.',
  ),
  slurmArrayTaskId: setting(
    'SLURM_ARRAY_TASK_ID',
    '',
    index,
    'Set by SLURM in an array job: which part of the tiles `firstmile store build --part auto` builds.',
  ),
  slurmArrayTaskCount: setting(
    'SLURM_ARRAY_TASK_COUNT',
    '',
    index,
    'Set by SLURM: how many tasks the array has. It counts for `--part auto` when the array is whole.',
  ),
  slurmArrayTaskMax: setting(
    'SLURM_ARRAY_TASK_MAX',
    '',
    index,
    'Set by SLURM: the last task of the array, by which `--part auto` sees that it is whole. Tasks that are submitted again alone are not.',
  ),
} as const;
