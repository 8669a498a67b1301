import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** The queue of tasks as operators see it. Times are ISO 8601. */
export interface QueueView {
  /** By kind of task. A task that was cut into parts counts as neither waiting nor running while its parts are worked on. */
  readonly kinds: readonly QueueKind[];
  /** What is at work, the longest first. */
  readonly running: readonly QueueRun[];
  /** The tasks that wait or whose parts do, the oldest first; at most `WAITING_SHOWN` of them. */
  readonly waiting: readonly QueueWaiting[];
  /** The tasks that failed and whose record is kept, the newest first; at most `FAILED_SHOWN` of them. */
  readonly failed: readonly QueueFailed[];
}

interface QueueKind {
  readonly kind: string;
  readonly waiting: number;
  readonly running: number;
  readonly parts_waiting: number;
  readonly parts_running: number;
  readonly failed: number;
  /** Seconds since the oldest task or part that waits was submitted or cut off; null where none waits. */
  readonly oldest_waiting_s: number | null;
}

interface QueueRun {
  readonly id: string;
  readonly kind: string;
  readonly user_id: string;
  /** Number of the part, from 0; null for a task that is not one. `id` is then that of the task that was cut. */
  readonly part: number | null;
  readonly worker: string | null;
  readonly since: string | null;
  readonly attempt: number;
  /** Whether its worker has not been heard of for longer than its lease: it begins again in a moment. */
  readonly is_lost: boolean;
}

interface QueueWaiting {
  readonly id: string;
  readonly kind: string;
  readonly user_id: string;
  /** Parts that nobody works on, where the task was cut. */
  readonly parts: number | null;
  readonly since: string;
}

interface QueueFailed {
  readonly id: string;
  readonly kind: string;
  readonly user_id: string;
  readonly at: string;
  readonly code: string;
  readonly detail: string;
}

export interface QueueViewer {
  showQueue(): Promise<QueueView>;
}

export const WAITING_SHOWN = 50;
export const FAILED_SHOWN = 20;

const IS_WAITING = sql`lease_owner is null and coalesce(parts_left, 0) <= 0`;
const TIME = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS"Z"'`);

export function createQueueViewer(db: Kysely<Database>): QueueViewer {
  return {
    async showQueue() {
      const [kinds, running, waiting, failed] = await Promise.all([
        sql<QueueKind>`
          select kind,
            count(*) filter (where status = 'processing' and parent is null and ${IS_WAITING})::int as waiting,
            count(*) filter (where status = 'processing' and parent is null and lease_owner is not null)::int as running,
            count(*) filter (where status = 'processing' and parent is not null and lease_owner is null)::int
              as parts_waiting,
            count(*) filter (where status = 'processing' and parent is not null and lease_owner is not null)::int
              as parts_running,
            count(*) filter (where status = 'failed' and parent is null)::int as failed,
            extract(epoch from now() - min(created_at) filter (where status = 'processing' and ${IS_WAITING}))::float8
              as oldest_waiting_s
          from tasks where status in ('processing', 'failed') group by kind order by kind`.execute(db),
        sql<QueueRun>`
          select coalesce(parent, id) as id, kind, user_id, part, worker,
            to_char(begun_at at time zone 'utc', ${TIME}) as since, attempt, lease_until < now() as is_lost
          from tasks where lease_owner is not null order by begun_at`.execute(db),
        sql<QueueWaiting>`
          select * from (
            select id, kind, user_id,
              case when parts_left > 0 then (select count(*)::int from tasks as part
                where part.parent = tasks.id and part.status = 'processing' and part.lease_owner is null) end as parts,
              to_char(created_at at time zone 'utc', ${TIME}) as since
            from tasks where status = 'processing' and parent is null and (${IS_WAITING} or parts_left > 0)) as open
          where parts is null or parts > 0
          order by since limit ${sql.lit(WAITING_SHOWN)}`.execute(db),
        sql<QueueFailed>`
          select id, kind, user_id, to_char(finished_at at time zone 'utc', ${TIME}) as at, error_code as code,
            coalesce(error_detail, '') as detail
          from tasks where status = 'failed' and parent is null
          order by finished_at desc limit ${sql.lit(FAILED_SHOWN)}`.execute(db),
      ]);
      return { kinds: kinds.rows, running: running.rows, waiting: waiting.rows, failed: failed.rows };
    },
  };
}
