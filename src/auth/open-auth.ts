import { createPublicKey, type KeyObject } from 'node:crypto';
import { credentialDigest } from './tokens.ts';
import type { AuthenticateDeps } from './authenticate.ts';
import { ownIssuer, type AccessToken } from './own-issuer.ts';
import type { CredentialStore, Principal } from './principal.ts';
import { type RemoteKeysOptions, remoteKeys } from './remote-keys.ts';
import { tokenLookup, type TokenLookupOptions } from './token-lookup.ts';
import { outsideUserId } from './user-id.ts';
import { verifyJwt, type JwtRules } from './verify-jwt.ts';

/** The settings of the service that decide who may come in. */
export interface AuthSettings {
  readonly bootstrapToken: string | null;
  readonly internalApiKeys: readonly string[];
  readonly jwtIssuer: string | null;
  readonly jwtAudience: string | null;
  readonly jwtJwksUrl: string | null;
  readonly jwtPublicKey: string | null;
}

export interface Auth extends AuthenticateDeps {
  /** A JWT of our own for a local user whose password was right. */
  issueAccessToken(userId: string): Promise<AccessToken>;
}

/** Joins the settings and the stored credentials to what `authenticate` needs. Throws when the outside issuer's key cannot be used. */
export function openAuth(
  settings: AuthSettings,
  store: CredentialStore,
  options: RemoteKeysOptions & TokenLookupOptions = {},
): Auth {
  const own = ownIssuer(store, options.clock);
  const outside = outsideSettings(settings);
  return {
    findToken: tokenLookup(store, options),
    verifyOwnJwt: own.verify,
    issueAccessToken: own.issue,
    verifyOutsideJwt: outside === null ? null : outsideIssuer(outside, options),
    bootstrapDigest: settings.bootstrapToken === null ? null : credentialDigest(settings.bootstrapToken),
    internalKeyDigests: settings.internalApiKeys.map(credentialDigest),
  };
}

function outsideSettings({
  jwtIssuer,
  jwtAudience,
  jwtJwksUrl,
  jwtPublicKey,
}: AuthSettings): OutsideIssuerSettings | null {
  if (jwtIssuer === null || jwtAudience === null) return null;
  if (jwtJwksUrl !== null) return { issuer: jwtIssuer, audience: jwtAudience, keys: { jwksUrl: jwtJwksUrl } };
  if (jwtPublicKey !== null) return { issuer: jwtIssuer, audience: jwtAudience, keys: { pem: jwtPublicKey } };
  return null;
}

interface OutsideIssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Where the public keys come from: the address of a key set, or one key as PEM (SPKI). */
  readonly keys: { readonly jwksUrl: string } | { readonly pem: string };
}

/**
 * Returns a function that verifies JWTs of an issuer the operator trusts, signed with RS256 or ES256 only. Throws an `Error`
 * at once when the PEM key is neither RSA of 2,048 bits or more nor EC P-256.
 */
function outsideIssuer(
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
