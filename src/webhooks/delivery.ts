import type { FailureReason } from './failure-reasons.ts';

/** Seconds from the end of a failed attempt to the next one; after the last the delivery has failed. */
export const RETRY_DELAYS_S: readonly number[] = [10, 30, 60];

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The way of one event to one receiver, as its owner sees it. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly url: string;
  readonly state: DeliveryState;
  /** Attempts whose outcome is recorded. */
  readonly attempts: number;
  /** True while a process is sending it. */
  readonly sending: boolean;
  /** Null unless an attempt is planned; null while the webhook is paused, too. */
  readonly nextAttemptAt: Date | null;
  /** The event's time of creation. */
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** One request that was sent, or could not be, as it is kept in the log. */
export interface Attempt extends AttemptOutcome {
  readonly number: number;
  readonly startedAt: Date;
  /** When the next attempt was planned for; null after the last. */
  readonly nextAttemptAt: Date | null;
}

/** What came of one attempt. Times are whole milliseconds; null where that step was not reached or not needed. */
export interface AttemptOutcome {
  /** HTTP status, or null when there was no answer. */
  readonly status: number | null;
  /** Null: delivered, which status 200 alone is. */
  readonly reason: FailureReason | null;
  /** One sentence for the receiver's developer, or null. */
  readonly detail: string | null;
  /** The address the socket was connected to, or null. */
  readonly address: string | null;
  readonly durationMs: number;
  readonly timings: AttemptTimings;
  /** Beginning of the answer's body as text, at most {@link EXCERPT_BYTES}, or null. */
  readonly excerpt: string | null;
}

export interface AttemptTimings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** From the first byte sent to the first byte of the answer. */
  readonly firstByteMs: number | null;
}

/** Bytes of an answer that are read before the connection is closed, and that are kept. */
export const ANSWER_BYTES = 65_536;
export const EXCERPT_BYTES = 16_384;
/** Bytes of a request body. */
export const MAX_BODY_BYTES = 262_144;
