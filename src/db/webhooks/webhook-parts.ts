import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { FailureReason } from '../../webhooks/delivery.ts';
import type { Database } from '../database.ts';

/** What happened to a user's deliveries that the user should hear of by another way. */
export type WebhookNotice =
  | {
      readonly kind: 'delivery_failed';
      readonly userId: string;
      readonly url: string;
      readonly deliveryId: string;
      readonly eventId: string;
      readonly eventType: string;
      /** Of the last attempt. */
      readonly reason: FailureReason;
      readonly failedAt: Date;
    }
  | { readonly kind: 'webhook_paused'; readonly userId: string; readonly url: string; readonly failures: number };

/** Called in the transaction that records what the notice reports; what it writes is kept exactly when that is. */
export type OnNotice = (trx: Transaction<Database>, notice: WebhookNotice) => Promise<void>;

/** What the functions of this folder share. */
export interface WebhookParts {
  readonly db: Kysely<Database>;
  /** The present as SQL: the database's own clock, or a test's. */
  readonly now: () => RawBuilder<Date>;
  readonly onNotice: OnNotice;
  /** Names this process in leases. */
  readonly owner: string;
  readonly retryDelaysS: readonly number[];
}

/** A delivery whose outcome was just written. */
export interface WrittenOutcome {
  readonly id: string;
  readonly user_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly url: string;
  readonly state: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** Null: delivered. */
  readonly reason: FailureReason | null;
}

/** Seconds a claimed delivery is this process's alone: longer than the deadline of an attempt and what comes before it. */
export const LEASE_S = 25;
/** Events in a row that failed for good, after which a webhook is paused. */
export const PAUSE_AFTER_FAILURES = 10;
/** Seconds between two trials of a paused webhook. */
export const PROBE_EVERY_S = 900;
