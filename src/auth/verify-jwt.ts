import { errors, jwtVerify, type CryptoKey, type JWTVerifyGetKey, type JWTPayload, type KeyObject } from 'jose';
import { Problem } from '../errors.ts';
import { isEmailAddress, isSubject } from './user-id.ts';
import type { Principal } from './principal.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** What a JWT without any claim of scopes may do: everything but administration. */
const DEFAULT_SCOPES: readonly Scope[] = ['validate', 'forest', 'collections', 'review', 'webhooks'];

/** Where issuers write what a token may do: RFC 9068 and most others, Microsoft and Okta, Auth0. */
const CLAIMS = {
  scope: { wanted: 'a text of names separated by spaces', text: true, list: false },
  scp: { wanted: 'a text of names separated by spaces or a list of names', text: true, list: true },
  permissions: { wanted: 'a list of names', text: false, list: true },
} as const;

/** Clocks may differ by this many seconds. */
const CLOCK_SKEW_S = 30;

/** Everything a token must agree with; the algorithms are ours to choose, never the token's. */
export interface JwtRules {
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly audience: string;
  /** Required `typ` header; absent: any. */
  readonly type?: string;
  /** The user that a subject of this issuer stands for. */
  readonly userOf: (subject: string) => string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * The principal of a JWT whose signature and claims hold: `iss`, `aud`, `exp` and `sub` are required, `nbf` is respected,
 * and an `email` counts only with `email_verified`. Throws `Problem('invalid_token')`; a `Problem` thrown by the key lookup
 * passes through.
 */
export async function verifyJwt(
  token: string,
  key: CryptoKey | KeyObject | Uint8Array | JWTVerifyGetKey,
  rules: JwtRules,
): Promise<Principal> {
  const options = {
    algorithms: [...rules.algorithms],
    issuer: rules.issuer,
    audience: rules.audience,
    clockTolerance: CLOCK_SKEW_S,
    currentDate: new Date(rules.clock()),
    requiredClaims: ['iss', 'aud', 'exp', 'sub'],
    ...(rules.type === undefined ? {} : { typ: rules.type }),
  };
  try {
    const { payload } = await jwtVerify(token, key, options);
    return principalOf(payload, rules);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('invalid_token', refusal(error), { cause: error });
  }
}

function principalOf(payload: JWTPayload, { userOf }: JwtRules): Principal {
  const { sub, email, email_verified: verified } = payload;
  if (!isSubject(sub)) throw new Problem('invalid_token', "The JWT's sub is not a usable user id.");
  const userId = userOf(sub);
  const scopes = claimedScopes(payload);
  return {
    userId,
    scopes,
    email: verified === true && isEmailAddress(email) ? email : null,
    kind: 'jwt',
    key: `user:${userId}`,
  };
}

/** Says which rule was broken; a failed signature or an unknown key gets no detail. */
function refusal(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The JWT has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The JWT's ${error.claim} claim is ${error.reason === 'missing' ? 'missing' : 'not acceptable'}.`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The JWT is signed with an algorithm that is not accepted.';
  return 'The JWT could not be verified.';
}

/**
 * The scopes of ours that a JWT's `scope`, `scp` and `permissions` claims grant. Several claims that name scopes of ours
 * must agree: a scope that one of them leaves out is not granted. A claim that names none of ours (`openid profile`) says
 * nothing of this service, unless no other one does: then nothing is granted. Without any such claim: all but `admin`.
 * Throws `Problem('invalid_token')` for a claim of another type.
 */
function claimedScopes(payload: JWTPayload): readonly Scope[] {
  const claims = Object.entries(CLAIMS).flatMap(([name, form]) => {
    const value = payload[name];
    if (value === undefined) return [];
    const names = namesIn(value, form);
    if (names === null) throw new Problem('invalid_token', `The JWT's ${name} claim is not ${form.wanted}.`);
    return [SCOPES.filter((scope) => names.includes(scope))];
  });
  if (claims.length === 0) return DEFAULT_SCOPES;
  const ours = claims.filter((scopes) => scopes.length > 0);
  return ours.length === 0 ? [] : SCOPES.filter((scope) => ours.every((scopes) => scopes.includes(scope)));
}

function namesIn(value: unknown, { text, list }: (typeof CLAIMS)[keyof typeof CLAIMS]): readonly string[] | null {
  if (text && typeof value === 'string') return value.split(' ');
  if (list && Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  return null;
}
