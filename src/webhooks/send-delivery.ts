import type { Log } from '../log.ts';
import { AttemptFailure, type AttemptOutcome, FAILURE_REASONS, type FailureReason } from './delivery.ts';
import { checkUrl, type UrlPolicy } from './check-url.ts';
import type { ClaimedDelivery, SecretRole } from './delivery-queue.ts';
import type { KeyRing } from './key-ring.ts';
import type { Poster } from './open-poster.ts';
import { signAttempt } from './sign.ts';

/** An attempt as part of a trace. */
interface DeliverySpan {
  /** For the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null: the attempt was broken off. */
  end(outcome: AttemptOutcome | null): void;
}

export interface SendParts {
  readonly poster: Poster;
  /** Opens the secrets; null where no key is loaded. */
  readonly keyRing: Pick<KeyRing, 'open'> | null;
  readonly urlPolicy: UrlPolicy;
  /** Begins the span of an attempt; absent: attempts are in no trace. Never rejects. */
  readonly beginSpan?: (delivery: ClaimedDelivery) => Promise<DeliverySpan>;
  readonly log: Log;
}

export interface SentDelivery {
  readonly outcome: AttemptOutcome;
  /** See `RecordedOutcome.accepted`. */
  readonly accepted: SecretRole | null;
}

/** Claims of one delivery whose sender stopped, after which it is not tried again: it may be what stops them. */
const MAX_LOST = 5;

/**
 * Signs a delivery with the time of its claim and sends it: one attempt. Null when `signal` aborted it, which leaves open
 * whether the receiver has it.
 */
export async function sendDelivery(
  delivery: ClaimedDelivery,
  { poster, keyRing, urlPolicy, beginSpan, log }: SendParts,
  signal: AbortSignal,
): Promise<SentDelivery | null> {
  if (delivery.lostBefore >= MAX_LOST) return notSent('sender_lost');
  let headers: Record<string, string>;
  try {
    // The policy may be stricter than when the address was registered.
    checkUrl(delivery.url, urlPolicy);
  } catch (error) {
    return notSent('url_refused', (error as Error).message);
  }
  try {
    headers = signedHeaders(delivery, keyRing);
  } catch (error) {
    log.error({ err: error, delivery: delivery.id }, 'the secret of a webhook cannot be opened');
    return notSent('secret_unreadable');
  }
  const span = await beginSpan?.(delivery);
  const outcome = await poster.post(
    { url: delivery.url, headers: { ...headers, ...span?.headers }, body: delivery.body },
    signal,
  );
  span?.end(outcome);
  if (outcome === null) return null;
  const accepted = outcome.reason === null ? roleOf(delivery) : null;
  return { outcome, accepted };
}

function signedHeaders(delivery: ClaimedDelivery, keyRing: SendParts['keyRing']): Record<string, string> {
  if (keyRing === null) throw new AttemptFailure('secret_unreadable');
  const [first, ...rest] = delivery.secrets.map(({ sealed }) => keyRing.open(sealed, delivery));
  return {
    'User-Agent': 'Service-Webhooks/1.0',
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    'X-Service-Webhook-Type': delivery.type,
    ...signAttempt({
      id: delivery.eventId,
      body: delivery.body,
      timestamp: Math.floor(delivery.claimedAt.getTime() / 1_000),
      attempt: delivery.attempt,
      secrets: [first as string, ...rest],
    }),
  };
}

/** The role of the secret whose turn it was, while there are two. */
function roleOf({ secrets, attempt }: ClaimedDelivery): SecretRole | null {
  return secrets.length < 2 ? null : (secrets[(attempt - 1) % secrets.length]?.role ?? null);
}

function notSent(reason: FailureReason, detail: string = FAILURE_REASONS[reason]): SentDelivery {
  return {
    outcome: {
      status: null,
      reason,
      detail,
      address: null,
      durationMs: 0,
      timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
      excerpt: null,
    },
    accepted: null,
  };
}
