import { describeFailure } from '../../forest/warnings.ts';
import { withDeadline } from '../../in-time.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import type { PlotSums } from '../../readers/rasters/measure-rasters.ts';
import type { RasterSpec } from '../../readers/rasters/raster-spec.ts';
import { reaches } from './rasters.ts';

/** Called with every dataset that failed, for the log. */
export type ReportFailure = (dataset: string, error: unknown) => void;

/** What a pass over one dataset gave a plot: sums, or why there are none. Undefined: it was not queried. */
export type PassResult =
  | { readonly sums: Float64Array }
  | { readonly failed: string; /** Only because this machine has no network. */ readonly isOffline?: true };

/**
 * Measures some plots on a dataset within its deadline. A failure is that of the plots it touches, in words that hold no
 * path or address; only an abort of `signal` is thrown.
 */
export async function pass(
  spec: RasterSpec,
  grounds: readonly PlotGround[],
  plots: readonly number[],
  signal: AbortSignal,
  report: ReportFailure,
  measure: (grounds: readonly PlotGround[], signal: AbortSignal) => Promise<PlotSums>,
): Promise<Map<number, PassResult>> {
  const [results] = await passes([spec], grounds, [plots], signal, report, async (some, inner) => [
    await measure(some, inner),
  ]);
  return results;
}

/** The same of several datasets that are read together, each on its own plots, within the longest of their deadlines. */
export async function passes(
  specs: readonly RasterSpec[],
  grounds: readonly PlotGround[],
  plots: readonly (readonly number[])[],
  signal: AbortSignal,
  report: ReportFailure,
  measure: (grounds: readonly PlotGround[], signal: AbortSignal) => Promise<readonly PlotSums[]>,
): Promise<Map<number, PassResult>[]> {
  const results = specs.map(() => new Map<number, PassResult>());
  const all = [...new Set(plots.flat())].toSorted((a, b) => a - b);
  if (all.length === 0) return results;
  let isLate = false;
  const reported = new Set<string>();
  const failed = (dataset: string, error: unknown): PassResult => {
    const reason = isLate ? `${dataset}: it did not answer in time` : reasonOf(dataset, error);
    if (!reported.has(reason)) report(dataset, error);
    reported.add(reason);
    return {
      failed: reason,
      ...((error as { readonly kind?: unknown }).kind === 'offline' ? { isOffline: true } : {}),
    };
  };
  const place = new Map(all.map((plot, i) => [plot, i]));
  const resultOf = (dataset: string, sum: PlotSums[number]): PassResult =>
    'error' in sum ? failed(dataset, sum.error) : sum;
  try {
    const deadlineMs = Math.max(...specs.map((spec) => spec.deadlineMs));
    const some = all.map((plot) => grounds[plot]);
    const sums = await withDeadline(signal, deadlineMs, async (inner, deadline) => {
      deadline.addEventListener('abort', () => (isLate = true));
      return measure(some, inner);
    });
    specs.forEach(({ dataset: { dataset } }, i) => {
      for (const plot of plots[i]) results[i].set(plot, resultOf(dataset, sums[i][place.get(plot) ?? 0]));
    });
  } catch (error) {
    signal.throwIfAborted();
    specs.forEach(({ dataset: { dataset } }, i) => {
      for (const plot of plots[i]) results[i].set(plot, failed(dataset, error));
    });
  }
  signal.throwIfAborted();
  return results;
}

/** The plots that reach into the ground of a dataset, of those given. */
export function plotsIn(spec: RasterSpec, grounds: readonly PlotGround[], plots: readonly number[]): number[] {
  return plots.filter((plot) => reaches(spec.coverage, grounds[plot]));
}

/** Why a dataset gave nothing. Only a `RangeError` is of our own making, and may be read by clients. */
function reasonOf(dataset: string, error: unknown): string {
  return `${dataset}: ${error instanceof RangeError ? error.message : describeFailure(error)}`;
}
