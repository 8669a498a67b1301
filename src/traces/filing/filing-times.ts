import type { TracesEnvironment } from '../interface-v3.ts';

/** When what is done, in milliseconds. */
export interface FilingTimes {
  /** From the answer to a submission to the first query for its status; the service wants 30 minutes. */
  readonly followMs: number;
  /** The same once a day has passed. */
  readonly followSlowlyMs: number;
  /** From a lost answer to the queries by internal reference; the last repeats. */
  readonly queryMs: readonly number[];
  /**
   * From handing over a message to the moment from which an empty answer counts. Longer than the message is valid (1
   * minute), than clocks may differ (5 minutes) and than the service may take to list a statement (30 minutes).
   */
  readonly settleMs: number;
  /** The same for a change, which is listed at once, so that only the message has to be invalid. */
  readonly settleChangeMs: number;
  /** After a step that failed; the last repeats. */
  readonly retryMs: readonly number[];
  /** Shortest time between two queries that a person wants. */
  readonly refreshMs: number;
}

const MINUTE = 60_000;

const OF_THE_SERVICE: FilingTimes = {
  followMs: 30 * MINUTE,
  followSlowlyMs: 360 * MINUTE,
  queryMs: [MINUTE, 5 * MINUTE, 31 * MINUTE],
  settleMs: 30 * MINUTE,
  settleChangeMs: 7 * MINUTE,
  retryMs: [MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE],
  refreshMs: MINUTE,
};

/** A server on this machine is quick, and nobody waits half an hour in a test. */
export const FILING_TIMES: Readonly<Record<TracesEnvironment, FilingTimes>> = {
  acceptance: OF_THE_SERVICE,
  production: OF_THE_SERVICE,
  test: {
    followMs: 500,
    followSlowlyMs: 2_000,
    queryMs: [250, 500],
    settleMs: 1_500,
    settleChangeMs: 1_000,
    retryMs: [250, 500, 1_000],
    refreshMs: 0,
  },
};

/** Days after which a statement that is still not available is not followed any more by itself. */
export const FOLLOW_DAYS = 60;
/** How often a submission is handed over at most. */
export const MAX_SENDS = 5;
