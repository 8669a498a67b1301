import type { OnSubmitted } from '../../db/tasks/submit-task.ts';
import type { TraceLinks } from '../../db/trace-links.ts';
import type { TaskRun } from '../../jobs/checkpoints.ts';
import type { TaskQueue } from '../../jobs/task-queue.ts';
import type { Log } from '../../log.ts';
import type { DeliveryTracing } from '../../service/webhooks/webhooks.ts';
import { activeHeaders, type Span, type TraceHeaders, type Tracing, withinSpan } from '../../tracing.ts';

export interface TraceParts {
  readonly tracing: Tracing;
  readonly links: TraceLinks;
  readonly log: Log;
}

/** Keeps with a task which request submitted it. */
export function linkSubmitted(onSubmitted: OnSubmitted, links: TraceLinks): OnSubmitted {
  return async (trx, task, params) => {
    await onSubmitted(trx, task, params);
    const headers = activeHeaders();
    if (headers !== null) await links.keep(trx, `task ${task.id}`, headers);
  };
}

/** A queue whose runs are spans, from claim to end, below the request that submitted the task; what a run causes is below it. */
export function traceQueue(queue: TaskQueue, parts: TraceParts): TaskQueue {
  const { kept } = queue;
  const spans = new Map<string, Span>();
  const keyOf = ({ id, attempt }: TaskRun): string => `${id} ${attempt}`;

  async function ending<T>(run: TaskRun, work: () => Promise<T>, error?: string): Promise<T> {
    const span = spans.get(keyOf(run));
    spans.delete(keyOf(run));
    if (span === undefined) return work();
    try {
      const result = await withinSpan(span, work);
      span.end(error === undefined ? {} : { error });
      return result;
    } catch (fault) {
      span.end({ error: (fault as Error).message });
      throw fault;
    }
  }

  return {
    ...queue,
    async claim(kinds, options) {
      const claimed = await queue.claim(kinds, options);
      if (claimed === null) return null;
      const { id, attempt, kind, parent: whole = null } = claimed;
      const parent = await findLink(parts, `task ${whole ?? id}`);
      const attributes = { 'firstmile.task.id': whole ?? id, 'firstmile.task.attempt': attempt };
      spans.set(keyOf(claimed), parts.tracing.begin(`task ${kind}`, { kind: 'consumer', parent, attributes }));
      return claimed;
    },
    async renew(runs) {
      const kept = await queue.renew(runs);
      for (const run of runs) {
        if (kept.has(run.id)) continue;
        spans.get(keyOf(run))?.end({ error: 'the task is no longer of this process' });
        spans.delete(keyOf(run));
      }
      return kept;
    },
    complete: (run, result) => ending(run, () => queue.complete(run, result)),
    fail: (run, error) => ending(run, () => queue.fail(run, error), error.detail),
    giveBack: (run) => ending(run, () => queue.giveBack(run), 'given back'),
    postpone: (run) => ending(run, () => queue.postpone(run), 'its file cannot be reached'),
    ...(kept && {
      kept: {
        ...kept,
        cut: (run, cut) => ending(run, () => kept.cut(run, cut)),
        completePrepared: (run, result) => ending(run, () => kept.completePrepared(run, result)),
        completePart: (run, part, result) => ending(run, () => kept.completePart(run, part, result)),
      },
    }),
    reportCrash: (run, step) => ending(run, () => queue.reportCrash(run, step), 'its worker thread crashed'),
  };
}

/** Attempts of webhook deliveries as spans below the task whose event they carry; the receiver gets its headers. */
export function traceDeliveries(parts: TraceParts): DeliveryTracing {
  return {
    async recorded(trx, id) {
      const headers = activeHeaders();
      if (headers !== null) await parts.links.keep(trx, `delivery ${id}`, headers);
    },
    async begin({ id, type, attempt, url }) {
      const parent = await findLink(parts, `delivery ${id}`);
      const attributes = {
        'http.request.method': 'POST',
        'server.address': new URL(url).host,
        'firstmile.delivery.id': id,
        'firstmile.delivery.attempt': attempt,
      };
      const span = parts.tracing.begin(`webhook ${type}`, { kind: 'client', parent, attributes });
      return {
        headers: { ...span.headers },
        end(outcome) {
          if (outcome === null) return span.end({ error: 'broken off' });
          const { status, reason } = outcome;
          span.end({
            ...(reason !== null && { error: reason }),
            attributes: status === null ? {} : { 'http.response.status_code': status },
          });
        },
      };
    },
  };
}

/** No work waits for its trace: a link that cannot be read is none. */
async function findLink(
  { links, log }: TraceParts,
  subject: Parameters<TraceLinks['find']>[0],
): Promise<TraceHeaders | null> {
  try {
    return await links.find(subject);
  } catch (error) {
    log.warn({ err: error, subject }, 'the trace of some work cannot be looked up; it begins one of its own');
    return null;
  }
}
