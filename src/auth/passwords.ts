import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { Problem } from '../errors.ts';

/** 2^15 blocks, 3 passes: 32 MiB and about 0.2 s a password, one of OWASP's equivalent settings for scrypt. */
const COST = { ln: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Largest cost a stored hash may require, so that a damaged row cannot take all memory. */
const MAX_COST = { ln: 17, r: 16, p: 16 } as const;
const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 1024;
const ENCODED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43})$/;
/** Costs as much as a real hash and matches no password: its bytes are not the outcome of any derivation. */
const NOBODY = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
/** Derivations at the same time, in this process: each holds 32 MiB and a thread of a pool that files and DNS share. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 32;

/** `$scrypt$ln=15,r=8,p=3$salt$hash`, with a fresh salt. Throws `Problem('invalid_body')` for a password too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    throw new Problem(
      'invalid_body',
      `password: wanted ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, got ${password.length}`,
    );
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * Whether `password` belongs to `encoded`. `null` (an unknown user, or one without a password) takes as long as a wrong
 * password and is false, so that the time does not reveal which accounts exist. Throws when `encoded` cannot be read.
 */
export async function passwordMatches(password: string, encoded: string | null): Promise<boolean> {
  const match = ENCODED.exec(encoded ?? NOBODY);
  if (match === null) throw new Error('the stored password hash is not in the form $scrypt$ln=,r=,p=$salt$hash');
  const [, ln, r, p, salt, hash] = match;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln > MAX_COST.ln || cost.r > MAX_COST.r || cost.p > MAX_COST.p)
    throw new Error(`the stored password hash requires a cost above ln=${MAX_COST.ln},r=${MAX_COST.r},p=${MAX_COST.p}`);
  const derived = await derive(password.slice(0, MAX_PASSWORD_LENGTH), Buffer.from(salt!, 'base64'), cost);
  return timingSafeEqual(derived, Buffer.from(hash!, 'base64')) && encoded !== null;
}

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Uint8Array, cost: { ln: number; r: number; p: number }): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING)
    throw new Problem('queue_full', 'Too many passwords are being checked; try again shortly.', { retryAfterS: 5 });
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    const N = 2 ** cost.ln;
    // Node wants room for the blocks, 128 * N * r bytes, and something more.
    const maxmem = 256 * N * cost.r + 1_048_576;
    return await runScrypt(password.normalize('NFKC'), salt, { N, r: cost.r, p: cost.p, maxmem });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

function runScrypt(password: string, salt: Uint8Array, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
