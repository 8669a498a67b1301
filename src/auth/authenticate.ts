import { Problem } from '../errors.ts';
import { anySameDigest, credentialDigest, isToken, TOKEN_PREFIX } from './tokens.ts';
import { isEmailAddress, isUserId } from './user-id.ts';
import { OWN_ISSUER } from './own-issuer.ts';
import type { Principal } from './principal.ts';
import { type Scope, SCOPES } from './scopes.ts';
import type { TokenLookup } from './token-lookup.ts';
import { hasDuplicateKeys } from './has-duplicate-keys.ts';

/** Every value of every header, by lower-case name. Joined or dropped duplicates would hide a request that says two things. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

export interface AuthenticateDeps {
  readonly findToken: TokenLookup;
  readonly verifyOwnJwt: (token: string) => Promise<Principal>;
  /** Null when no outside issuer is trusted. */
  readonly verifyOutsideJwt: ((token: string) => Promise<Principal>) | null;
  /** SHA-256 of the bootstrap token, null without one. */
  readonly bootstrapDigest: Uint8Array | null;
  /** SHA-256 of each accepted internal key. */
  readonly internalKeyDigests: readonly Uint8Array[];
}

/**
 * Who makes a request, from its headers alone. `Authorization: Bearer` carries an API token, the bootstrap token or a JWT;
 * `x-internal-api-key` with `x-user-id` lets a trusted service act for a user. Both styles together must name one user.
 * Throws `Problem('unauthenticated')` when nothing usable was sent, `Problem('invalid_token')` when a credential is refused
 * and `Problem('dependency_unavailable')` when it cannot be checked.
 */
export async function authenticate(headers: DistinctHeaders, deps: AuthenticateDeps): Promise<Principal> {
  const internal = internalPrincipal(headers, deps.internalKeyDigests);
  const token = bearerToken(headers);
  if (token === null) {
    if (internal !== null) return internal;
    throw new Problem(
      'unauthenticated',
      'This request needs a credential: Authorization: Bearer <token>, or x-internal-api-key with x-user-id.',
    );
  }
  const principal = await bearerPrincipal(token, deps);
  if (internal === null) return principal;
  if (internal.userId !== principal.userId)
    throw new Problem('invalid_token', 'The bearer token and x-user-id name different users; send one of the two.');
  return internal;
}

function internalPrincipal(headers: DistinctHeaders, accepted: readonly Uint8Array[]): Principal | null {
  const key = onlyValue(headers, 'x-internal-api-key');
  const userId = onlyValue(headers, 'x-user-id');
  const email = onlyValue(headers, 'x-user-email');
  if (key === null && email !== null)
    throw new Problem('unauthenticated', 'x-user-email is believed only with x-internal-api-key, which is missing.');
  if (key === null && userId === null) return null;
  if (key === null || userId === null)
    throw new Problem(
      'unauthenticated',
      `x-internal-api-key and x-user-id belong together; ${key === null ? 'x-internal-api-key' : 'x-user-id'} is missing.`,
    );
  if (!anySameDigest(credentialDigest(key), accepted))
    throw new Problem('invalid_token', 'The internal key is not accepted.');
  if (!isUserId(userId)) throw new Problem('invalid_token', 'x-user-id is not a usable user id.');
  if (email !== null && !isEmailAddress(email))
    throw new Problem('invalid_token', 'x-user-email is not an address mail can be sent to.');
  return { userId, scopes: SCOPES, email, kind: 'internal', key: `internal:${userId}` };
}

function bearerToken(headers: DistinctHeaders): string | null {
  const value = onlyValue(headers, 'authorization');
  if (value === null) return null;
  const match = /^bearer +(\S+)$/i.exec(value.trim());
  if (match === null) throw new Problem('unauthenticated', 'Authorization: wanted the form Bearer <token>.');
  return match[1]!;
}

async function bearerPrincipal(token: string, deps: AuthenticateDeps): Promise<Principal> {
  if (deps.bootstrapDigest !== null && anySameDigest(credentialDigest(token), [deps.bootstrapDigest]))
    return { userId: 'bootstrap', scopes: SCOPES, email: null, kind: 'bootstrap', key: 'bootstrap' };
  if (token.startsWith(TOKEN_PREFIX)) return tokenPrincipal(token, deps.findToken);
  const { issuer } = readJwt(token);
  if (issuer === OWN_ISSUER) return deps.verifyOwnJwt(token);
  if (deps.verifyOutsideJwt === null)
    throw new Problem('invalid_token', 'The JWT comes from an issuer that is not accepted.');
  return deps.verifyOutsideJwt(token);
}

async function tokenPrincipal(token: string, findToken: TokenLookup): Promise<Principal> {
  if (!isToken(token))
    throw new Problem('invalid_token', 'The API token is incomplete or mistyped: its checksum is wrong.');
  const record = await findToken(token);
  if (record === null) throw new Problem('invalid_token', 'The API token is unknown, revoked or expired.');
  return { userId: record.userId, scopes: record.scopes, email: null, kind: 'token', key: `token:${record.id}` };
}

function onlyValue(headers: DistinctHeaders, name: string): string | null {
  const values = headers[name] ?? [];
  if (values.length > 1) throw new Problem('unauthenticated', `${name} was sent ${values.length} times; wanted once.`);
  return values[0] ?? null;
}

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
function readJwt(token: string): UnverifiedJwt {
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

/** Throws `Problem('forbidden')` when the credential lacks `scope`. No scope contains another one, `admin` included. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return;
  const got = principal.scopes.length === 0 ? 'no scope' : principal.scopes.join(', ');
  throw new Problem('forbidden', `This request needs the scope ${scope}; the credential has ${got}.`);
}
