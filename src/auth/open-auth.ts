import { credentialDigest } from './tokens.ts';
import type { AuthenticateDeps } from './authenticate.ts';
import { outsideIssuer, type OutsideIssuerSettings } from './outside-issuer.ts';
import { ownIssuer, type AccessToken } from './own-issuer.ts';
import type { CredentialStore } from './principal.ts';
import type { RemoteKeysOptions } from './remote-keys.ts';
import { tokenLookup, type TokenLookupOptions } from './token-lookup.ts';

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
