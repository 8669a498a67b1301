import { BroadcastChannel } from 'node:worker_threads';
import type { ReportFailure } from '../plots/passes.ts';
import { reportOncePerMinute } from '../world/report-once-per-minute.ts';

/** A source that failed in another thread. */
interface ThreadFailure {
  readonly source: string;
  readonly message: string;
  readonly stack: string;
}

/** Reaches every thread of the process, and no other process. */
const CHANNEL = 'firstmile failed sources';
/** Causes of causes that are reported. */
const MAX_CAUSES = 5;

/** Reports to the process the sources that failed in one of its threads, which has no log: each failure once a minute. */
export function openFailureReporter(): ReportFailure {
  const port = new BroadcastChannel(CHANNEL);
  port.unref();
  // As text: what else an error carries may be nothing that can be sent.
  return reportOncePerMinute((source, error) => port.postMessage({ source, ...textOf(error) } satisfies ThreadFailure));
}

/** Receives the failures that other threads report, until the returned function is called. */
export function hearFailures(report: ReportFailure): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.unref();
  channel.addEventListener('message', (event) => {
    const { source, message, stack } = (event as { readonly data: ThreadFailure }).data;
    report(source, Object.assign(new Error(message), { stack }));
  });
  return () => channel.close();
}

function textOf(error: unknown): Pick<ThreadFailure, 'message' | 'stack'> {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error) };
  const stacks: string[] = [];
  for (let one: unknown = error; one instanceof Error && stacks.length < MAX_CAUSES; one = one.cause)
    stacks.push(one.stack ?? one.message);
  return { message: error.message, stack: stacks.join('\ncaused by: ') };
}
