import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { Problem } from '../errors.ts';
import { believed } from './token-lookup.ts';
import type { CredentialStore, Principal } from './principal.ts';
import { verifyJwt } from './verify-jwt.ts';

export const OWN_ISSUER = 'urn:firstmile:local';

const AUDIENCE = 'urn:firstmile:api';
const TYPE = 'at+jwt';
const LIFETIME_S = 3600;
const KEY_BYTES = 32;

export interface AccessToken {
  readonly token: string;
  readonly expiresInS: number;
}

/** Makes and verifies the JWTs of local users, which live 1 h. */
interface OwnIssuer {
  issue(userId: string): Promise<AccessToken>;
  verify(token: string): Promise<Principal>;
}

/**
 * The service as its own issuer: HS256 with a secret kept in the database, so that every process of an installation accepts
 * what another one made and nobody else can make any. A token ends with its user. `clock` is milliseconds since 1970.
 */
export function ownIssuer(
  store: Pick<CredentialStore, 'namedSecret' | 'userById'>,
  clock: () => number = Date.now,
): OwnIssuer {
  let secret: Promise<Uint8Array> | null = null;
  const key = (): Promise<Uint8Array> => {
    secret ??= store
      .namedSecret('jwt-hs256', () => randomBytes(KEY_BYTES))
      .catch((error: unknown) => {
        secret = null;
        throw error;
      });
    return secret;
  };
  const userOf = (subject: string): string => subject;
  const rules = { algorithms: ['HS256'], issuer: OWN_ISSUER, audience: AUDIENCE, type: TYPE, userOf, clock };
  const userExists = believed(async (id: string) => (await store.userById(id)) !== null, clock);

  return {
    async issue(userId) {
      const now = Math.floor(clock() / 1000);
      const token = await new SignJWT({})
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(OWN_ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + LIFETIME_S)
        .sign(await key());
      return { token, expiresInS: LIFETIME_S };
    },
    async verify(token) {
      const principal = await verifyJwt(token, await key(), rules);
      if (await userExists(principal.userId)) return principal;
      throw new Problem('invalid_token', 'The JWT is of a user who was removed.');
    },
  };
}
