import { describeFailure } from '../../forest/describe-failure.ts';
import type { ReportFailure } from '../plots/passes.ts';

/** How long a failure of a source is not told again, in milliseconds: a file of plots would fill the log with it. */
const TOLD_AGAIN_MS = 60_000;
/** Failures that are remembered; with more of them all are forgotten, and told again. */
const MAX_REMEMBERED = 1_000;

/** Reports each failure of a source once a minute. */
export function toldOnce(report: ReportFailure, clock: () => number = () => performance.now()): ReportFailure {
  const told = new Map<string, number>();
  return (source, error) => {
    const what = `${source} ${describeFailure(error)}`;
    const now = clock();
    if (now - (told.get(what) ?? -Infinity) < TOLD_AGAIN_MS) return;
    if (told.size >= MAX_REMEMBERED) told.clear();
    told.set(what, now);
    report(source, error);
  };
}
