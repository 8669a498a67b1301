import type { Filing, FilingKind } from '../messages/statement.ts';
import type { Submission, SubmissionChange, SubmissionFailure, SubmissionState } from './submission.ts';

/** Which attempt at which submission: the fencing token of everything that is recorded. */
export interface FilingRun {
  readonly id: string;
  readonly attempt: number;
}

/** A submission that this process may work on, as long as it renews the lease. */
export interface ClaimedFiling extends FilingRun {
  readonly userId: string;
  readonly kind: FilingKind;
  readonly environment: Submission['environment'];
  readonly internalReference: string;
  readonly state: SubmissionState;
  readonly change: SubmissionChange | null;
  readonly uuid: string | null;
  /** Null unless something was handed over and its answer is not recorded. */
  readonly handedOverAt: Date | null;
  /** How often the submission was handed over. */
  readonly sends: number;
  /** Queries in a row that found nothing since it was handed over. */
  readonly emptyAnswers: number;
  /** Steps in a row that failed. */
  readonly failures: number;
  readonly createdAt: Date;
  /** The database's time of the claim. */
  readonly claimedAt: Date;
}

/** What a step leaves. What is left out stays as it is. */
export interface FilingUpdate {
  readonly state?: SubmissionState;
  /** Null: the change is done or given up. */
  readonly change?: null;
  /** True where the content that the change brings is the content from now on. */
  readonly takesPending?: true;
  readonly uuid?: string;
  readonly referenceNumber?: string;
  readonly verificationNumber?: string;
  readonly rejectionReason?: string | null;
  readonly communication?: string | null;
  /** Null: the step did what was wanted. */
  readonly failure: SubmissionFailure | null;
  /** True where nothing is on its way any more. */
  readonly isSettled?: true;
  /** True where the service was queried, and what it answered. */
  readonly queried?: 'empty' | 'found' | 'available' | 'not_yet_available';
  /** Milliseconds until the next step; null when nothing more happens by itself. */
  readonly nextMs: number | null;
}

/** What the filer needs of the database. A run whose lease was lost writes nothing and returns false. */
export interface FilingQueue {
  /** Leases up to `count` submissions that are due, the longest waiting first. */
  claim(count: number): Promise<readonly ClaimedFiling[]>;
  renew(runs: readonly FilingRun[]): Promise<void>;
  /** The statement to be sent, or to be amended to; null when it is gone. */
  readContent(run: FilingRun, which: 'content' | 'pending'): Promise<Filing | null>;
  /** To be called before the first byte leaves: whoever finds the submission later knows that it may have been sent. */
  markHandedOver(run: FilingRun): Promise<boolean>;
  record(run: FilingRun, update: FilingUpdate): Promise<boolean>;
  /** As if the claim had not been made. */
  giveBack(run: FilingRun): Promise<boolean>;
}
