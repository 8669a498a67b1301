import { createHmac } from 'node:crypto';

/** What one delivery attempt signs. */
interface AttemptToSign {
  /** Event id; equal in every attempt. */
  readonly id: string;
  /** The request body exactly as sent, by `canonicalJson`. */
  readonly body: string;
  /** Time of this attempt, whole seconds since 1970. */
  readonly timestamp: number;
  /** 1 for the first attempt of the delivery. */
  readonly attempt: number;
  /**
   * Secrets in force. One, or during rotation two: first the one that the receiver last answered 200 to (the old one
   * until the receiver has accepted the new one), then the other.
   */
  readonly secrets: readonly [string, ...string[]];
}

/**
 * Every signature header of one attempt, by name.
 *
 * `X-Service-Webhook-Signature` always holds exactly one signature, because a receiver written from the specification
 * may split it at `, ` or match it whole. So while two secrets are in force the attempts take turns: the first is
 * signed with `secrets[0]`, the second with `secrets[1]`, and so on. A receiver that knows either secret verifies
 * every delivery by its second attempt at the latest. `webhook-signature` (Standard Webhooks) is a list by its own
 * specification and carries one signature of each secret in every attempt.
 */
export function signAttempt({ id, body, timestamp, attempt, secrets }: AttemptToSign): Record<string, string> {
  return {
    'X-Service-Webhook-Signature': signatureHeader(body, turnOf(secrets, attempt), timestamp),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => standardSignature(id, body, secret, timestamp)).join(' '),
  };
}

/** The secret whose turn it is to sign `X-Service-Webhook-Signature` in the given attempt (1 for the first). */
function turnOf(secrets: readonly [string, ...string[]], attempt: number): string {
  return secrets[(attempt - 1) % secrets.length]!;
}

/**
 * `t=<seconds>, v1=<64 hex digits>`: HMAC-SHA256 over `<seconds>.<body>`; the key is the whole secret, `whsec_`
 * included, as UTF-8.
 */
export function signatureHeader(body: string, secret: string, timestamp: number): string {
  const seconds = wholeSeconds(timestamp);
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds}, v1=${digest}`;
}

/**
 * `v1,<base64>` as in the Standard Webhooks specification: HMAC-SHA256 over `<id>.<seconds>.<body>`; the key is what
 * the secret's base64 after `whsec_` stands for.
 */
export function standardSignature(id: string, body: string, secret: string, timestamp: number): string {
  const signed = `${id}.${wholeSeconds(timestamp)}.${body}`;
  return `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;
}

function standardKey(secret: string): Buffer {
  if (!secret.startsWith('whsec_')) throw new TypeError('A webhook secret starts with "whsec_"; this one does not');
  return Buffer.from(secret.slice('whsec_'.length), 'base64');
}

function wholeSeconds(timestamp: number): string {
  if (!Number.isSafeInteger(timestamp) || timestamp < 1e9 || timestamp >= 1e10) {
    throw new RangeError(`A signature's time is whole seconds since 1970, 10 digits; got ${timestamp}`);
  }
  return String(timestamp);
}
