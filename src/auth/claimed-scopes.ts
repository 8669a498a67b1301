import type { JWTPayload } from 'jose';
import { Problem } from '../errors.ts';
import { SCOPES, type Scope } from './principal.ts';

/** What a JWT without any claim of scopes may do: everything but administration. */
const DEFAULT_SCOPES: readonly Scope[] = ['validate', 'forest', 'collections', 'webhooks'];

/** Where issuers write what a token may do: RFC 9068 and most others, Microsoft and Okta, Auth0. */
const CLAIMS = {
  scope: { wanted: 'a text of names separated by spaces', text: true, list: false },
  scp: { wanted: 'a text of names separated by spaces or a list of names', text: true, list: true },
  permissions: { wanted: 'a list of names', text: false, list: true },
} as const;

/**
 * The scopes of ours that a JWT's `scope`, `scp` and `permissions` claims grant. Several claims that name scopes of ours
 * must agree: a scope that one of them leaves out is not granted. A claim that names none of ours (`openid profile`) says
 * nothing of this service, unless no other one does: then nothing is granted. Without any such claim: all but `admin`.
 * Throws `Problem('invalid_token')` for a claim of another type.
 */
export function claimedScopes(payload: JWTPayload): readonly Scope[] {
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
