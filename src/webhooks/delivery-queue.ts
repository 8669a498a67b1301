import type { AttemptOutcome } from './delivery.ts';

/** A user with something to send now. */
export interface DueUser {
  readonly userId: string;
  /** Name of the receiver's host, and its registered address: what requests are counted by. */
  readonly host: string;
  readonly url: string;
  /** Deliveries to send now, counted up to the requested number. */
  readonly due: number;
}

export interface DuePage {
  readonly users: readonly DueUser[];
  /** Where the next page begins, or null after the last user. */
  readonly next: string | null;
}

/** A delivery this process may attempt once, before its lease ends. `id` and `token` are the right to record the outcome. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Goes up with every claim: the fencing token. */
  readonly token: number;
  /** 1 for the first attempt of the schedule; a redelivery begins it again. */
  readonly attempt: number;
  readonly userId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly host: string;
  readonly eventId: string;
  readonly type: string;
  /** The text to sign and send. */
  readonly body: string;
  /** Secrets in force, the one whose turn is first in front. */
  readonly secrets: readonly [SealedSecret, ...SealedSecret[]];
  /** Claims before this one whose sender stopped before it recorded an outcome. */
  readonly lostBefore: number;
  /** True when the webhook is paused or its last event failed. */
  readonly troubled: boolean;
  /** The database's time of the claim. */
  readonly claimedAt: Date;
}

export interface SealedSecret {
  readonly sealed: string;
  readonly role: SecretRole;
}

/** During a rotation two secrets sign. */
export type SecretRole = 'current' | 'previous';

export interface RecordedOutcome {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'token' | 'webhookId' | 'troubled'>;
  readonly outcome: AttemptOutcome;
  /** True when another attempt could not change it. */
  readonly final: boolean;
  /** By the database's clock. */
  readonly startedAt: Date;
  /** Which of two secrets signed what the receiver answered 200 to: it comes first from now on. Null with one secret. */
  readonly accepted: SecretRole | null;
}

/** What the sender needs of the database. Every method may throw when the database cannot be reached. */
export interface DeliveryQueue {
  /** Milliseconds until something is due, 0 or less when something is, null when nothing is planned. */
  nextDueMs(): Promise<number | null>;
  /**
   * Users after `after` in a fixed order who have something due, from a bounded number of users looked at; the deliveries
   * of each are counted up to `perUser`.
   */
  findDue(after: string, perUser: number): Promise<DuePage>;
  /** Leases at most `count` due deliveries of each user. */
  claim(wanted: readonly { readonly userId: string; readonly count: number }[]): Promise<readonly ClaimedDelivery[]>;
  /** Writes log, state and next attempt of each, if its token still holds. */
  record(outcomes: readonly RecordedOutcome[]): Promise<void>;
  /** As if the claim had not been made: for claims that were not begun, or broken off because the process stops. */
  giveBack(deliveries: readonly Pick<ClaimedDelivery, 'id' | 'token'>[]): Promise<void>;
  /** Lets one delivery of every paused webhook go whose time for a trial has come; returns how many. */
  releaseProbes(): Promise<number>;
  /** Deletes what is older than its retention; returns how many deliveries. */
  deleteExpired(): Promise<number>;
}

/** Requests to one user's receiver at the same time. */
export const MAX_PER_USER = 4;
