import type { BatchOptions, BatchRun } from '../collection.ts';
import type { PlotRecord } from '../plot-record.ts';
import { compareFindings, type PlotChange, type UnmeasuredPlot, type WatchReport } from './compare-findings.ts';
import { plotFinding, type PresentFinding } from './plot-finding.ts';

/** A plot of a report with its row, as the spreadsheet shows it. */
type InRow<T> = T & { readonly row: number };

/** What one batch of a collection finds otherwise than an earlier one. */
export interface RunComparison {
  readonly before: BatchRun;
  readonly after: BatchRun;
  /** Both are looked at in this period, that of the later batch: the passing of time alone changes nothing. */
  readonly period: Pick<BatchOptions, 'monitoringStart' | 'monitoringEnd'>;
  readonly counts: Omit<WatchReport['counts'], 'only_before' | 'only_after' | 'only_after_not_cleared'> & {
    /** Plots that only one of the two batches read. */
    readonly onlyBefore: number;
    readonly onlyAfter: number;
  };
  readonly changes: readonly InRow<PlotChange>[];
  readonly unmeasured: readonly InRow<UnmeasuredPlot>[];
}

/**
 * Compares plot by plot, by their place in the file, which both batches read. Where it holds another geometry now, because
 * columns or sheets were read otherwise, it is another plot. Memory grows with the number of plots.
 */
export async function compareRuns(
  runs: Pick<RunComparison, 'before' | 'after'>,
  records: { readonly before: AsyncIterable<PlotRecord>; readonly after: AsyncIterable<PlotRecord> },
  signal: AbortSignal,
): Promise<RunComparison> {
  const { monitoringStart, monitoringEnd } = runs.after.options;
  const period = { monitoringStart, monitoringEnd };
  const rows = new Map<number, number>();
  const before = await findings(records.before, { ...runs.before.options, ...period }, rows, signal);
  const after = await findings(records.after, runs.after.options, rows, signal);
  const known = before.map(({ silent: _silent, problem: _problem, ...found }) => found);
  const { report } = compareFindings(known, after);
  const { only_before: onlyBefore, only_after: onlyAfter, only_after_not_cleared: _, ...counts } = report.counts;
  const inRow = <T extends { readonly number: number }>(plot: T): InRow<T> => ({
    ...plot,
    row: rows.get(plot.number)!,
  });
  return {
    ...runs,
    period,
    counts: { ...counts, onlyBefore, onlyAfter },
    changes: report.changes.map(inRow),
    unmeasured: report.unmeasured.map(inRow),
  };
}

async function findings(
  records: AsyncIterable<PlotRecord>,
  options: BatchOptions,
  rows: Map<number, number>,
  signal: AbortSignal,
): Promise<readonly PresentFinding[]> {
  const found: PresentFinding[] = [];
  for await (const record of records) {
    signal.throwIfAborted();
    const finding = plotFinding(record, { options });
    if (finding === null) continue;
    found.push(finding);
    const row = record.feature.properties['source_row'];
    rows.set(record.number, typeof row === 'number' ? row : record.number + 1);
  }
  return found;
}
