import { describeFailure } from '../../forest/warnings.ts';
import type { ReportFailure } from '../plots/passes.ts';

/** How long a failure of a source is not reported again, in milliseconds: a file of plots would fill the log with it. */
const REPORT_AGAIN_MS = 60_000;
/** Failures that are remembered; with more of them all are forgotten, and reported again. */
const MAX_REMEMBERED = 1_000;

/** Reports each failure of a source once a minute. */
export function reportOncePerMinute(
  report: ReportFailure,
  clock: () => number = () => performance.now(),
): ReportFailure {
  const reported = new Map<string, number>();
  return (source, error) => {
    const what = `${source} ${describeFailure(error)}`;
    const now = clock();
    if (now - (reported.get(what) ?? -Infinity) < REPORT_AGAIN_MS) return;
    if (reported.size >= MAX_REMEMBERED) reported.clear();
    reported.set(what, now);
    report(source, error);
  };
}
