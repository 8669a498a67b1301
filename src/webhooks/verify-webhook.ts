/**
 * Verifies webhooks that Firstmile sent. The file needs nothing but `node:crypto`: import it as `firstmile/webhooks` or
 * copy it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a webhook carries once it is verified. */
export interface WebhookEvent {
  /** The same in every attempt to deliver the event; process an id once. */
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** ISO 8601; the time of the event, not of the delivery. */
  readonly created_at: string;
}

export interface VerifyOptions {
  /** Seconds the signature's time may be away from now, either way. Default 300; `Infinity` accepts any time. */
  readonly tolerance?: number;
  /** Seconds since 1970. Default: the clock. */
  readonly now?: number;
}

/** Why a webhook was refused. */
export type RefusalReason =
  /** The body was not given as text or bytes, so it was parsed already and can never be verified. */
  | 'body_not_raw'
  /** No secret was given. */
  | 'secret_missing'
  /** There is no signature header. */
  | 'header_missing'
  /** The header is not `t=<seconds>, v1=<64 lower-case hex digits>`. */
  | 'header_malformed'
  /** No signature of the header fits body, time and secret. */
  | 'signature_mismatch'
  /** Signed by the service, longer ago than the tolerance. */
  | 'too_old'
  /** Signed by the service, further in the future than the tolerance: a clock is wrong. */
  | 'too_new'
  /** Signed by the service, and yet not an event. */
  | 'body_not_an_event';

/** Thrown by {@link verifyWebhook}: answer 401 and do not read the body. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Returns the event of a webhook, or throws {@link WebhookRefused}; there is no other way to an event, so that no
 * answer can be overlooked.
 *
 * `rawBody` is the request's body before anything parsed it, `header` the value of `X-Service-Webhook-Signature`,
 * `secret` the whole `client_secret`, or all those in force while it is rotated. Signatures are compared in constant time.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() / 1000 }: VerifyOptions = {},
): WebhookEvent {
  if (!(tolerance >= 0)) throw new TypeError(`tolerance: wanted seconds, got ${tolerance}`);
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new WebhookRefused(
      'body_not_raw',
      `the body is ${describe(rawBody)}: wanted the raw text or bytes, before any parser`,
    );
  }
  const secrets = (typeof secret === 'string' ? [secret] : secret).filter((one) => one !== '');
  if (secrets.length === 0) throw new WebhookRefused('secret_missing', 'no secret was given');
  const { timestamp, signatures } = parseSignatureHeader(header);
  const wanted = secrets.map((one) => createHmac('sha256', one).update(`${timestamp}.`).update(rawBody).digest());
  // Every pair is compared, so that the time taken does not say which one fits.
  const fits = signatures.flatMap((given) => wanted.map((digest) => timingSafeEqual(given, digest)));
  if (!fits.includes(true)) {
    throw new WebhookRefused(
      'signature_mismatch',
      'the signature does not fit: wrong secret, or a body that is not the raw one',
    );
  }
  checkTime(Number(timestamp), now, tolerance);
  return parseEvent(rawBody);
}

/** The parts of a signature header; throws {@link WebhookRefused} when there is none or it cannot be read. */
export function parseSignatureHeader(header: string | readonly string[] | null | undefined): {
  /** As written, because it is part of what is signed. */
  readonly timestamp: string;
  readonly signatures: readonly Buffer[];
} {
  if (header === undefined || header === null || header === '' || header.length === 0) {
    throw new WebhookRefused('header_missing', 'there is no X-Service-Webhook-Signature header');
  }
  if (typeof header !== 'string') throw malformed('the header came more than once');
  if (header.length > MAX_HEADER_LENGTH) throw malformed(`the header is longer than ${MAX_HEADER_LENGTH} characters`);
  const fields = header.split(',').map((field) => field.trim());
  const times = fields.filter((field) => field.startsWith('t=')).map((field) => field.slice(2));
  const digests = fields.filter((field) => field.startsWith('v1=')).map((field) => field.slice(3));
  if (times.length !== 1 || !/^\d{1,12}$/.test(times[0]!)) throw malformed('wanted one t=<seconds since 1970>');
  if (digests.length === 0) throw malformed('wanted v1=<64 hex digits>, found no v1');
  if (!digests.every((digest) => /^[0-9a-f]{64}$/.test(digest))) {
    throw malformed('wanted v1=<64 lower-case hex digits>');
  }
  return { timestamp: times[0]!, signatures: digests.map((digest) => Buffer.from(digest, 'hex')) };
}

const MAX_HEADER_LENGTH = 1_024;

function malformed(detail: string): WebhookRefused {
  return new WebhookRefused('header_malformed', `the signature header cannot be read: ${detail}`);
}

function checkTime(timestamp: number, now: number, tolerance: number): void {
  const age = Math.round(now - timestamp);
  if (now - timestamp > tolerance) {
    throw new WebhookRefused('too_old', `signed ${age} s ago: more than ${tolerance} s`);
  }
  if (timestamp - now > tolerance) {
    throw new WebhookRefused(
      'too_new',
      `signed ${-age} s in the future: more than ${tolerance} s; is the clock right?`,
    );
  }
}

function parseEvent(rawBody: string | Uint8Array): WebhookEvent {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw new WebhookRefused('body_not_an_event', 'the body is signed and is not JSON');
  }
  const { id, type, created_at: createdAt } = (event ?? {}) as Partial<WebhookEvent>;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof createdAt !== 'string') {
    throw new WebhookRefused('body_not_an_event', 'the body is signed and has no id, type and created_at');
  }
  return event as WebhookEvent;
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? 'a parsed object' : typeof value;
}
