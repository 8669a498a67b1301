import { sql, type Kysely, type Transaction } from 'kysely';
import type { TraceHeaders } from '../tracing.ts';
import type { Database } from './database.ts';

/** What a task or a delivery is called in its link. */
type LinkSubject = `task ${string}` | `delivery ${string}`;

/** Which span caused work that another process, or a later hour, does. */
export interface TraceLinks {
  /** Written with the work itself. */
  keep(trx: Transaction<Database>, subject: LinkSubject, headers: TraceHeaders): Promise<void>;
  /** Null where none was kept. */
  find(subject: LinkSubject): Promise<TraceHeaders | null>;
}

/** Links after which a process removes those whose work is long over. */
const SWEEP_EVERY = 1_000;

export function openTraceLinks(db: Kysely<Database>): TraceLinks {
  let kept = 0;
  return {
    async keep(trx, subject, { traceparent, tracestate }) {
      const both = tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
      await sql`insert into trace_links (subject, traceparent) values (${subject}, ${both})
        on conflict (subject) do nothing`.execute(trx);
      if (kept++ % SWEEP_EVERY === 0)
        await sql`delete from trace_links where made_at < now() - interval '40 days'`.execute(trx);
    },
    async find(subject) {
      const { rows } = await sql<{ traceparent: string }>`
        select traceparent from trace_links where subject = ${subject}`.execute(db);
      const [, traceparent, tracestate] = /^(\S+)(?: (.+))?$/.exec(rows[0]?.traceparent ?? '') ?? [];
      if (traceparent === undefined) return null;
      return { traceparent, ...(tracestate !== undefined && { tracestate }) };
    },
  };
}
