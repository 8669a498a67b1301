import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal } from './principal.ts';
import { remoteKeys, type RemoteKeysOptions } from './remote-keys.ts';
import { outsideUserId } from './user-id.ts';
import { verifyJwt, type JwtRules } from './verify-jwt.ts';

export interface OutsideIssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Where the public keys come from: the address of a key set, or one key as PEM (SPKI). */
  readonly keys: { readonly jwksUrl: string } | { readonly pem: string };
}

/**
 * Returns a function that verifies JWTs of an issuer the operator trusts, signed with RS256 or ES256 only. Throws an `Error`
 * at once when the PEM key is neither RSA of 2,048 bits or more nor EC P-256.
 */
export function outsideIssuer(
  settings: OutsideIssuerSettings,
  options: RemoteKeysOptions = {},
): (token: string) => Promise<Principal> {
  const rules = {
    issuer: settings.issuer,
    audience: settings.audience,
    userOf: (subject: string) => outsideUserId(settings.issuer, subject),
    clock: options.clock ?? Date.now,
  };
  if ('jwksUrl' in settings.keys) {
    const keys = remoteKeys(settings.keys.jwksUrl, options);
    const both: JwtRules = { ...rules, algorithms: ['RS256', 'ES256'] };
    return (token) => verifyJwt(token, keys, both);
  }
  const key = createPublicKey(settings.keys.pem);
  const one: JwtRules = { ...rules, algorithms: [algorithmOf(key)] };
  return (token) => verifyJwt(token, key, one);
}

function algorithmOf(key: KeyObject): 'RS256' | 'ES256' {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= 2048) return 'RS256';
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  throw new Error(
    `wanted a public key RSA of 2048 bits or more (RS256) or EC P-256 (ES256), got ${key.asymmetricKeyType} ${namedCurve ?? modulusLength}`,
  );
}
