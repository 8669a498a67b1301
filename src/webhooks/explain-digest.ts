import { createHash, createHmac } from 'node:crypto';
import type { SignatureMistake } from './signature-mistakes.ts';

/** A digest that somebody computed, and the right ingredients. */
interface DigestToExplain {
  readonly digest: string;
  /** Seconds as the header has them. */
  readonly timestamp: string;
  readonly body: string;
  readonly secret: string;
}

type Variant<T> = readonly [mistake: SignatureMistake | null, value: T];

/**
 * The fewest mistakes that turn the right ingredients into `digest`, none for the right digest; null when no combination
 * of known ones does. Tries about a thousand HMACs.
 */
export function explainDigest({
  digest,
  timestamp,
  body,
  secret,
}: DigestToExplain): readonly SignatureMistake[] | null {
  const bodies = wrongBodies(body);
  const messages = bodies.flatMap(([ofBody, text]) =>
    wrongMessages(timestamp, text).map(([ofMessage, message]) => ({ mistakes: [ofBody, ofMessage], message })),
  );
  const candidates = wrongKeys(secret)
    .flatMap(([ofKey, key]) =>
      messages.map(({ mistakes, message }) => ({ key, message, mistakes: [ofKey, ...mistakes].filter(isMistake) })),
    )
    .sort((a, b) => a.mistakes.length - b.mistakes.length);
  for (const { key, message, mistakes } of candidates) {
    const ofDigest = matchDigest(digest, key, message, mistakes.length < 2);
    if (ofDigest !== undefined) return [...mistakes, ofDigest].filter(isMistake);
  }
  return null;
}

/** Lower-case hex of HMAC-SHA256. */
export function hmacHex(key: string | Buffer, message: string): string {
  return createHmac('sha256', key).update(message).digest('hex');
}

/** The mistake that made `digest` out of key and message, null for none; undefined when it was not made out of them. */
function matchDigest(
  digest: string,
  key: string | Buffer,
  message: string,
  thorough: boolean,
): SignatureMistake | null | undefined {
  const right = hmacHex(key, message);
  if (digest === right) return null;
  if (digest.toLowerCase() === right) return 'digest_upper_case';
  if (digest === Buffer.from(right, 'hex').toString('base64')) return 'digest_base64';
  if (!thorough) return undefined;
  const given = digest.toLowerCase();
  if (given === hmacHex(message, key.toString())) return 'key_and_message_swapped';
  const joined = [`${key.toString()}${message}`, `${message}${key.toString()}`, message];
  if (joined.some((text) => given === createHash('sha256').update(text).digest('hex'))) return 'digest_not_hmac';
  const others = OTHER_HASHES.filter((hash) => given === createHmac(hash, key).update(message).digest('hex'));
  return others.length > 0 ? 'digest_other_hash' : undefined;
}

const OTHER_HASHES = ['sha1', 'sha512', 'sha384', 'md5'];

function wrongKeys(secret: string): readonly Variant<string | Buffer>[] {
  const bare = secret.replace(/^whsec_/, '');
  return [
    [null, secret],
    ['secret_prefix_missing', bare],
    ['secret_base64_decoded', Buffer.from(bare, 'base64')],
    ['secret_white_space', `${secret}\n`],
    ['secret_quoted', `"${secret}"`],
    ['secret_empty', ''],
  ];
}

function wrongMessages(timestamp: string, body: string): readonly Variant<string>[] {
  const id = /"id":\s*"([^"]*)"/.exec(body)?.[1] ?? '';
  return [
    [null, `${timestamp}.${body}`],
    ['time_left_out', body],
    ['dot_left_out', `${timestamp}${body}`],
    ['other_separator', `${timestamp},${body}`],
    ['other_separator', `${timestamp}:${body}`],
    ['other_separator', `${timestamp}\n${body}`],
    ['time_and_body_swapped', `${body}.${timestamp}`],
    ['time_in_milliseconds', `${timestamp}000.${body}`],
    ['time_with_name', `t=${timestamp}.${body}`],
    ['standard_webhooks_message', `${id}.${timestamp}.${body}`],
  ];
}

function wrongBodies(body: string): readonly Variant<string>[] {
  const variants: Variant<string>[] = [
    [null, body],
    ['body_white_space', `${body}\n`],
    ['body_white_space', `${body}\r\n`],
    ['body_empty', ''],
    ['body_not_text_of_json', '[object Object]'],
  ];
  try {
    const value: unknown = JSON.parse(body);
    variants.push(
      [/\\u[0-9a-f]{4}/i.test(body) ? 'body_unescaped' : 'body_reserialised', JSON.stringify(value)],
      ['body_reserialised', JSON.stringify(value, null, 2)],
      ['body_reserialised', JSON.stringify(value, null, 4)],
      ['body_reserialised', spaced(body)],
      ['body_quoted', JSON.stringify(body)],
    );
  } catch {
    // Not JSON: nothing can have been parsed and written again.
  }
  return variants.filter(([, text], i) => variants.findIndex(([, other]) => other === text) === i);
}

/** What Python's `json.dumps` makes of canonical JSON without `separators`: a space after every comma and colon. */
function spaced(body: string): string {
  return body.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part.length === 1 ? `${part} ` : part));
}

function isMistake(mistake: SignatureMistake | null): mistake is SignatureMistake {
  return mistake !== null;
}
