import { errors, jwtVerify, type CryptoKey, type JWTVerifyGetKey, type JWTPayload, type KeyObject } from 'jose';
import { Problem } from '../errors.ts';
import { claimedScopes } from './claimed-scopes.ts';
import { isEmailAddress } from './email-address.ts';
import type { Principal } from './principal.ts';
import { isSubject } from './user-id.ts';

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
