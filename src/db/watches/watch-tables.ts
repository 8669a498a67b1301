import type { ColumnType } from 'kysely';
import type { NewPlot, PlotChange, UnmeasuredPlot, WatchReport } from '../../collections/watch/compare-findings.ts';
import type { DatasetChange, RunCounts, WatchRunState } from '../../collections/watch/watch.ts';

/** The tables of watched collections. */
export interface WatchTables {
  readonly collection_watches: WatchesTable;
  readonly collection_watch_runs: WatchRunsTable;
}

interface WatchesTable {
  collection_id: string;
  /** Where reports go in place of the address of the local user; null: only there. */
  email: string | null;
  /** What reports are written in; null: English. */
  language: string | null;
  /** Versions by dataset, as the last run was begun with; null before the first. */
  datasets: ColumnType<Readonly<Record<string, string>> | null, string | null | undefined, string | null>;
  /** What is known of each plot, as `packFindings` writes it. */
  known: ColumnType<Uint8Array, Uint8Array, Uint8Array>;
  /** When to measure again though no data changed. */
  again_at: Date | null;
  created_at: ColumnType<Date, never, never>;
  checked_at: Date | null;
}

/** Runs of earlier versions have no count of plots that were there only before, or only after. */
type StoredCounts = Omit<RunCounts, keyof OnlyCounts> & Partial<OnlyCounts>;
type OnlyCounts = Pick<WatchReport['counts'], 'only_before' | 'only_after' | 'only_after_not_cleared'>;

interface WatchRunsTable {
  id: string;
  collection_id: string;
  number: number;
  state: WatchRunState;
  datasets: ColumnType<readonly DatasetChange[], string, never>;
  /** The batch; null until it is submitted. */
  task_id: string | null;
  counts: ColumnType<StoredCounts | null, string | null | undefined, string | null>;
  changes: ColumnType<readonly PlotChange[], string | undefined, string>;
  unmeasured: ColumnType<readonly UnmeasuredPlot[], string | undefined, string>;
  new_plots: ColumnType<readonly NewPlot[], string | undefined, string>;
  reason: string | null;
  started_at: ColumnType<Date, never, never>;
  finished_at: Date | null;
}
