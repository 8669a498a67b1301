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

/** Why an attempt failed: stable codes for programs, one sentence for people. */
export const FAILURE_REASONS = {
  status_2xx_not_200: 'The receiver answered with a success other than 200; only 200 counts as delivered.',
  status_redirect: 'The receiver answered with a redirect; redirects are never followed.',
  status_4xx: 'The receiver refused the request.',
  status_5xx: 'The receiver failed.',
  status_other: 'The receiver answered with a status that is no answer to a POST.',
  url_refused: 'The registered address is not allowed here any more; nothing was sent.',
  address_refused: 'The name leads to an address that is never connected to; nothing was sent.',
  dns_not_found: 'The name does not exist or has no address.',
  dns_failed: 'The name could not be resolved.',
  connection_refused: 'The receiver refused the connection.',
  connection_failed: 'The receiver could not be reached.',
  connection_reset: 'The connection was broken before the answer.',
  connection_closed: 'The receiver closed the connection before the answer.',
  connect_timeout: 'No connection was made within the deadline of an attempt.',
  tls_timeout: 'TLS was not agreed on within the deadline of an attempt.',
  tls_expired: 'The certificate of the receiver has expired.',
  tls_not_yet_valid: 'The certificate of the receiver is not valid yet.',
  tls_self_signed: 'The certificate of the receiver is signed by itself.',
  tls_untrusted: 'The certificate of the receiver is from no known authority, or its chain is incomplete.',
  tls_wrong_name: 'The certificate of the receiver is for another name.',
  tls_failed: 'TLS could not be agreed on; wanted TLS 1.2 or later.',
  answer_timeout: 'No answer came within the deadline of an attempt.',
  answer_invalid: 'The answer is not HTTP/1.1.',
  answer_headers_too_large: 'The headers of the answer are larger than what is read.',
  secret_unreadable: 'The signing secret cannot be opened with the keys this service has; nothing was sent.',
  sender_lost: 'The sender stopped several times while it sent this; it is not tried again by itself.',
} as const satisfies Record<string, string>;

export type FailureReason = keyof typeof FAILURE_REASONS;

/** Reasons that another attempt cannot change: the delivery fails at once. */
export const FINAL_REASONS: ReadonlySet<FailureReason> = new Set(['url_refused', 'address_refused', 'sender_lost']);

/** The reason for an HTTP status, or null for 200. */
export function statusReason(status: number): FailureReason | null {
  if (status === 200) return null;
  if (status > 200 && status < 300) return 'status_2xx_not_200';
  if (status >= 300 && status < 400) return 'status_redirect';
  if (status >= 400 && status < 500) return 'status_4xx';
  return status >= 500 && status < 600 ? 'status_5xx' : 'status_other';
}

/** An attempt that ended without an answer. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string = FAILURE_REASONS[reason], options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}
