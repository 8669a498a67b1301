import { sql, type Transaction } from 'kysely';
import { isRecord } from '../../is-record.ts';
import type { Task, TaskError } from '../../jobs/task.ts';
import type { Progress } from '../../jobs/task-queue.ts';
import type { Database } from '../database.ts';
import { taskFromRow, type TaskRow } from './task-row.ts';

/**
 * Called inside the transaction that finishes a task, after the task is marked: whatever it writes through `trx` is kept
 * exactly when the task is finished, and when it throws the task is not finished. It must not wait for anything else.
 */
export type OnFinished = (trx: Transaction<Database>, task: Task, more: FinishedDetails) => Promise<void>;

interface FinishedDetails {
  /** What the task was submitted with. */
  readonly params: unknown;
  /** What its handler returned in addition to its results; null unless completed. */
  readonly summary: unknown;
  /** Chunks of its results. */
  readonly chunks: number;
}

export type Outcome =
  | {
      readonly status: 'completed';
      readonly type: string;
      readonly chunks: number;
      readonly progress: Progress | null;
      readonly summary?: unknown;
      readonly outcome?: unknown;
    }
  | { readonly status: 'failed'; readonly error: TaskError }
  | { readonly status: 'cancelled' };

/** Who may finish the task: the run that holds it, its owner, or the transaction that has the row locked. */
type Finisher = { readonly attempt: number; readonly leaseOwner: string } | { readonly userId: string } | 'locked';

/** Ends an unfinished task and drops the bytes nobody needs any more. Null when the finisher may not, or it is finished. */
export async function finishTask(
  trx: Transaction<Database>,
  id: string,
  by: Finisher,
  outcome: Outcome,
  onFinished: OnFinished,
): Promise<TaskRow | null> {
  const row = await trx
    .updateTable('tasks')
    .set({
      status: outcome.status,
      lease_owner: null,
      lease_until: null,
      finished_at: sql<Date>`now()`,
      expires_at: sql<Date>`now() + case when parent is null then retention_s else 0 end * interval '1 second'`,
      ...columnsOf(outcome),
    })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .$if(typeof by === 'object' && 'userId' in by, (query) =>
      query.where('user_id', '=', (by as { userId: string }).userId).where('parent', 'is', null),
    )
    .$if(typeof by === 'object' && 'attempt' in by, (query) => {
      const run = by as { attempt: number; leaseOwner: string };
      return query.where('attempt', '=', run.attempt).where('lease_owner', '=', run.leaseOwner);
    })
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.parent !== null) {
    // A part that failed: so has the task it belongs to. Its own row is seen by nobody.
    if (outcome.status === 'failed') await finishTask(trx, row.parent, 'locked', outcome, onFinished);
    return row;
  }
  await endParts(trx, row);
  await dropBytes(trx, row, outcome.status === 'completed');
  if (outcome.status === 'completed' && outcome.outcome != null) await keepOutcome(trx, row, outcome.outcome);
  const summary = outcome.status === 'completed' ? (outcome.summary ?? null) : null;
  await onFinished(trx, taskFromRow(row), { params: row.params, summary, chunks: row.result_chunks ?? 0 });
  return row;
}

function columnsOf(outcome: Outcome) {
  switch (outcome.status) {
    case 'completed':
      return {
        result_type: outcome.type,
        result_chunks: outcome.chunks,
        progress_phase: null,
        ...(outcome.progress && { progress_done: outcome.progress.done, progress_total: outcome.progress.total }),
      };
    case 'failed':
      return { error_code: outcome.error.code, error_detail: outcome.error.detail };
    case 'cancelled':
      return {};
  }
}

/**
 * Parts that are not done go with the task. They are deleted later, a few at a time. One that is being completed at this moment
 * is passed over: it finds that its task has ended.
 */
async function endParts(trx: Transaction<Database>, { id, parts_left: left }: TaskRow): Promise<void> {
  if (left === -1) return;
  await sql`update tasks set status = 'cancelled', lease_owner = null, lease_until = null, expires_at = now()
    where id in (select id from tasks where parent = ${id} for update skip locked)`.execute(trx);
}

/** Next to what the task was submitted with, where its list reads it. */
async function keepOutcome(trx: Transaction<Database>, { id, params }: TaskRow, outcome: unknown): Promise<void> {
  const kept = JSON.stringify({ ...(isRecord(params) ? params : {}), outcome });
  await sql`update tasks set params = ${kept}::json where id = ${id}`.execute(trx);
}

/** The results of the run that completed the task are all that stays. */
async function dropBytes(trx: Transaction<Database>, row: TaskRow, keepResults: boolean): Promise<void> {
  await trx
    .deleteFrom('task_chunks')
    .where('task_id', '=', row.id)
    .$if(keepResults, (query) =>
      query.where((or) => or.or([or('direction', '=', 'input'), or('attempt', '<>', row.attempt)])),
    )
    .execute();
}
