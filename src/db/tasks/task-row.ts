import type { Selectable } from 'kysely';
import { isRecord } from '../../is-record.ts';
import type { Task, TaskAbout, TaskStatus } from '../../jobs/task.ts';
import type { Database } from '../database.ts';
import { leaseEnd } from '../lease.ts';

export type TaskRow = Selectable<Database['tasks']>;

/** The task as its owner sees it. */
export function taskFromRow(row: TaskRow): Task {
  return {
    id: row.id,
    kind: row.kind,
    userId: row.user_id,
    status: row.status as TaskStatus,
    progress: { done: row.progress_done, total: row.progress_total },
    phase: row.progress_phase,
    attempt: row.attempt,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    resultType: row.result_type,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
    about: aboutOf(row.params),
  };
}

/** Out of what the task was submitted with, to which its end adds `outcome`. */
function aboutOf(params: unknown): TaskAbout {
  const { file, options, outcome } = isRecord(params) ? params : {};
  const { commodity, commodityText } = isRecord(options) ? options : {};
  const named = commodity ?? commodityText;
  return {
    file: typeof file === 'string' ? file : null,
    commodity: typeof named === 'string' ? named : null,
    outcome: outcome ?? null,
  };
}

/** Seconds without renewal after which a run counts as dead. With the looks of the runners it begins again within 12 s. */
const LEASE_S = 8;

/** When a lease taken or renewed by this statement runs out. */
export const LEASE_END = leaseEnd(LEASE_S);
