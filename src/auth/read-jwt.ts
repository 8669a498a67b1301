import { Problem } from '../errors.ts';
import { hasDuplicateKeys } from './has-duplicate-keys.ts';

/** Longest JWT that is looked at, in characters. */
const MAX_JWT_LENGTH = 8192;

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/** What a JWT claims before anything is verified: only good for choosing who verifies it. */
interface UnverifiedJwt {
  readonly issuer: unknown;
}

/**
 * Refuses a token that no issuer of ours would make, before any key is looked up: not three base64url parts, longer than
 * 8 KiB, a member named twice, or a `crit` header (an extension we would have to understand). Throws
 * `Problem('invalid_token')`.
 */
export function readJwt(token: string): UnverifiedJwt {
  if (token.length > MAX_JWT_LENGTH)
    throw new Problem(
      'invalid_token',
      `The token is too long: wanted at most ${MAX_JWT_LENGTH} characters, got ${token.length}.`,
    );
  const parts = COMPACT.exec(token);
  if (parts === null)
    throw new Problem('invalid_token', 'The bearer token is neither an API token (fm_...) nor a JWT.');
  const header = readObject(parts[1]!, 'header');
  const payload = readObject(parts[2]!, 'payload');
  if ('crit' in header)
    throw new Problem('invalid_token', 'The JWT has a crit header; no critical extension is supported.');
  return { issuer: payload['iss'] };
}

function readObject(part: string, what: string): Record<string, unknown> {
  const json = Buffer.from(part, 'base64url').toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Problem('invalid_token', `The JWT's ${what} is not JSON.`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem('invalid_token', `The JWT's ${what} is not a JSON object.`);
  if (hasDuplicateKeys(json)) throw new Problem('invalid_token', `The JWT's ${what} names a member twice.`);
  return value as Record<string, unknown>;
}
