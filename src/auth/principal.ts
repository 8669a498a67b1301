import type { ActOnNew, NewAct } from './audit-log.ts';
import type { Scope } from './scopes.ts';
import { OUTSIDE_USER } from './user-id.ts';

/** Who makes a request and what it may do. */
export interface Principal {
  /** Of a local user its id; of an outside issuer's user `jwt:<issuer>:<sub>`; of the internal key what `x-user-id` says. */
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** An address known to be the principal's; null where none is, or where it is a local user's and stands with that user. */
  readonly email: string | null;
  /** How it proved who it is; rate limits count by `key` and never apply to `internal`. */
  readonly kind: 'token' | 'bootstrap' | 'jwt' | 'internal';
  /** Stable text that stands for this credential in rate limits and logs; not a secret. */
  readonly key: string;
}

/** Whether a principal is a local user: an outside issuer's has its issuer in front, and `x-user-id` may say anything. */
export function isLocalUser({ kind, userId }: Pick<Principal, 'kind' | 'userId'>): boolean {
  return kind === 'token' || (kind === 'jwt' && !userId.startsWith(OUTSIDE_USER));
}

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  /** Encoded scrypt hash, or null for a user who has only tokens. */
  readonly passwordHash: string | null;
  readonly createdAt: Date;
}

export interface TokenRecord {
  readonly id: string;
  readonly userId: string;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** What authentication needs to survive a restart. Hashes are 32-byte SHA-256 digests. */
export interface CredentialStore {
  /** With an act, here and below, it is recorded exactly when the change is made. */
  addUser(email: string, passwordHash: string | null, act?: NewAct): Promise<UserRecord>;
  setPassword(userId: string, passwordHash: string, act?: NewAct): Promise<void>;
  /** Case-insensitive; null when there is none. */
  userByEmail(email: string): Promise<UserRecord | null>;
  userById(id: string): Promise<UserRecord | null>;
  countUsers(): Promise<number>;
  addToken(
    token: {
      userId: string;
      label: string;
      scopes: readonly Scope[];
      hash: Uint8Array;
      expiresAt: Date | null;
    },
    act?: ActOnNew,
  ): Promise<TokenRecord>;
  /** The record and stored hash of a token that is neither revoked nor expired by the database's clock, or null. */
  activeTokenByHash(hash: Uint8Array): Promise<{ record: TokenRecord; hash: Uint8Array } | null>;
  listTokens(filter: { userId?: string; includeRevoked?: boolean }): Promise<readonly TokenRecord[]>;
  /** False when there is no such token or it was revoked before. */
  revokeToken(id: string, act?: NewAct): Promise<boolean>;
  /** Called at most once a minute a token. */
  touchToken(id: string): Promise<void>;
  /** A secret kept by name, made with `create` the first time; every process sees the same value. */
  namedSecret(name: string, create: () => Uint8Array): Promise<Uint8Array>;
}
