export const REPORT_EMAIL_STATES = ['queued', 'sent', 'failed', 'unknown', 'none'] as const;

/** What became of the email that brings the due diligence report of a collection. */
export interface ReportEmail {
  /**
   * `queued`: it waits or is being sent. `unknown`: it was handed over and the answer was lost. `none`: there is none, which
   * `reason` explains.
   */
  readonly state: (typeof REPORT_EMAIL_STATES)[number];
  /** What came of the last attempt, or why there was none, as a sentence; null where nothing is to be said. */
  readonly reason: string | null;
  /** Null for `none`. */
  readonly to: string | null;
  /** When it is tried next; null unless it waits. */
  readonly nextAttemptAt: Date | null;
  /** When it was sent or given up; null before. */
  readonly finishedAt: Date | null;
}
