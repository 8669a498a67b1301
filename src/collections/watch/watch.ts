import type { NewPlot, PlotChange, UnmeasuredPlot, WatchReport } from './compare-findings.ts';

/** A dataset whose version is not what it was: null before for a new one, null after for one that is gone. */
export interface DatasetChange {
  readonly dataset: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * `measuring`: its batch runs. `changed` and `not_measured` are reported; `unchanged` is only recorded. `failed`: the batch
 * gave no results.
 */
export const WATCH_RUN_STATES = ['measuring', 'unchanged', 'changed', 'not_measured', 'failed'] as const;
export type WatchRunState = (typeof WATCH_RUN_STATES)[number];

type OnlyCounts = 'only_before' | 'only_after' | 'only_after_not_cleared';

/** As stored: null for what a run of an earlier version did not count. */
export type RunCounts = Omit<WatchReport['counts'], OnlyCounts> & Readonly<Record<OnlyCounts, number | null>>;

/** One time that a watched collection was measured again. */
export interface WatchRun {
  /** From 1, in the order in which they were begun. */
  readonly number: number;
  readonly state: WatchRunState;
  /** Why it was begun; empty for the first run, and for one that tries again. */
  readonly datasets: readonly DatasetChange[];
  /** Null until it is finished, and where it failed. */
  readonly counts: RunCounts | null;
  /** Why it failed, as a sentence; null otherwise. */
  readonly reason: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

export interface WatchRunDetail extends WatchRun {
  readonly changes: readonly PlotChange[];
  readonly unmeasured: readonly UnmeasuredPlot[];
  readonly newPlots: readonly NewPlot[];
}

/** A collection that is measured again when data changes. */
export interface Watch {
  readonly collectionId: string;
  readonly collectionName: string;
  readonly createdAt: Date;
  /** When somebody last looked whether data changed; null: not yet. */
  readonly checkedAt: Date | null;
  /** When it is measured again though no data changed, because the last run could not measure all; null: it is not. */
  readonly againAt: Date | null;
  /** The newest; null before the first. */
  readonly lastRun: WatchRun | null;
}
