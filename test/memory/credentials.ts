import { randomUUID } from 'node:crypto';
import type { CredentialStore, TokenRecord, UserRecord } from '../../src/auth/principal.ts';

/** Credentials kept in memory, for tests of everything that only needs them to be there. */
export function memoryCredentials(clock: () => number = Date.now): CredentialStore {
  const users = new Map<string, UserRecord>();
  const tokens = new Map<string, { record: TokenRecord; hash: Uint8Array }>();
  const secrets = new Map<string, Uint8Array>();
  const change = (id: string, part: Partial<TokenRecord>): void => {
    const token = tokens.get(id)!;
    tokens.set(id, { ...token, record: { ...token.record, ...part } });
  };

  return {
    async addUser(email, passwordHash) {
      const user = { id: randomUUID(), email, passwordHash, createdAt: new Date(clock()) };
      users.set(user.id, user);
      return user;
    },
    async setPassword(userId, passwordHash) {
      users.set(userId, { ...users.get(userId)!, passwordHash });
    },
    async userByEmail(email) {
      return [...users.values()].find((user) => user.email.toLowerCase() === email.toLowerCase()) ?? null;
    },
    async userById(id) {
      return users.get(id) ?? null;
    },
    async countUsers() {
      return users.size;
    },
    async addToken({ hash, ...token }) {
      const record = { ...token, id: randomUUID(), createdAt: new Date(clock()), revokedAt: null, lastUsedAt: null };
      tokens.set(record.id, { record, hash });
      return record;
    },
    async activeTokenByHash(hash) {
      const found = [...tokens.values()].find((token) => Buffer.compare(token.hash, hash) === 0);
      if (found === undefined || found.record.revokedAt !== null) return null;
      return found.record.expiresAt !== null && found.record.expiresAt.getTime() <= clock() ? null : found;
    },
    async listTokens({ userId, includeRevoked = false }) {
      return [...tokens.values()]
        .map(({ record }) => record)
        .filter(
          (record) =>
            (userId === undefined || record.userId === userId) && (includeRevoked || record.revokedAt === null),
        );
    },
    async revokeToken(id) {
      if (tokens.get(id)?.record.revokedAt !== null) return false;
      change(id, { revokedAt: new Date(clock()) });
      return true;
    },
    async touchToken(id) {
      change(id, { lastUsedAt: new Date(clock()) });
    },
    async namedSecret(name, create) {
      if (!secrets.has(name)) secrets.set(name, create());
      return secrets.get(name)!;
    },
  };
}
