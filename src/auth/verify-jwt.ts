import { errors, jwtVerify, type CryptoKey, type JWTVerifyGetKey, type JWTPayload, type KeyObject } from 'jose';
import { Problem } from '../errors.ts';
import { SCOPES, type Principal, type Scope } from './principal.ts';
import { isUserId } from './user-id.ts';

/** Clocks may differ by this many seconds. */
export const CLOCK_SKEW_S = 30;

/** What a JWT without a `scope` claim may do: everything but administration. */
const DEFAULT_SCOPES: readonly Scope[] = ['validate', 'forest', 'collections', 'webhooks'];

/** Everything a token must agree with; the algorithms are ours to choose, never the token's. */
export interface JwtRules {
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly audience: string;
  /** Required `typ` header; absent: any. */
  readonly type?: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * The principal of a JWT whose signature and claims hold: `iss`, `aud`, `exp` and `sub` are required, `nbf` is respected,
 * `sub` is the user id, and a `scope` claim (names separated by spaces) is intersected with our scopes. Throws
 * `Problem('invalid_token')`; a `Problem` thrown by the key lookup passes through.
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
    return principalOf(payload);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('invalid_token', refusal(error), { cause: error });
  }
}

function principalOf({ sub, scope }: JWTPayload): Principal {
  if (!isUserId(sub)) throw new Problem('invalid_token', "The JWT's sub is not a usable user id.");
  if (scope !== undefined && typeof scope !== 'string')
    throw new Problem('invalid_token', "The JWT's scope claim is not a text of names separated by spaces.");
  const claimed = scope?.split(' ');
  const scopes = claimed === undefined ? DEFAULT_SCOPES : SCOPES.filter((name) => claimed.includes(name));
  return { userId: sub, scopes, kind: 'jwt', key: `jwt:${sub}` };
}

/** Says which rule was broken; a failed signature or an unknown key gets no detail. */
function refusal(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The JWT has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The JWT's ${error.claim} claim is ${error.reason === 'missing' ? 'missing' : 'not acceptable'}.`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The JWT is signed with an algorithm that is not accepted.';
  return 'The JWT could not be verified.';
}
