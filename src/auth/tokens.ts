import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const TOKEN_PREFIX = 'fm_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 20;
/** 62^27 is the first power of 62 above 2^160. */
const RANDOM_DIGITS = 27;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_DIGITS = 6;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`);

/**
 * A new API token: `fm_`, 160 random bits as 27 base62 digits, and the CRC-32 of both as 6 base62 digits. The prefix lets
 * scanners find leaked tokens; the checksum refuses typing errors and guesses without a question to the database. Only
 * `hash` is kept.
 */
export function createToken(): { readonly token: string; readonly hash: Uint8Array } {
  const text = TOKEN_PREFIX + base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), RANDOM_DIGITS);
  const token = text + checksum(text);
  return { token, hash: credentialDigest(token) };
}

/** Whether `text` has the shape of an API token and its checksum is right. It says nothing of whether the token exists. */
export function isToken(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** SHA-256 of a credential, 32 bytes: what is stored and compared. A token of 160 random bits needs no slow hash. */
export function credentialDigest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

/**
 * Whether two digests are equal, in a time that does not depend on where they differ. Both are 32 bytes: comparing the
 * credentials themselves would reveal their length, so callers hash both sides first.
 */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== 32 || b.length !== 32)
    throw new RangeError(`wanted two digests of 32 bytes, got ${a.length} and ${b.length}`);
  return timingSafeEqual(a, b);
}

/** Whether `digest` is in `accepted`; every entry is compared, so that the time does not reveal which one matched. */
export function anySameDigest(digest: Uint8Array, accepted: readonly Uint8Array[]): boolean {
  let found = false;
  for (const candidate of accepted) found = sameDigest(digest, candidate) || found;
  return found;
}
