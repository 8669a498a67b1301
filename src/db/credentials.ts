import { sql, type Kysely, type Selectable } from 'kysely';
import type { CredentialStore, TokenRecord, UserRecord } from '../auth/principal.ts';
import type { Scope } from '../auth/scopes.ts';
import { Problem } from '../errors.ts';
import { withAct, writeAct } from './audit-log.ts';
import type { Database } from './database.ts';
import { isUniqueViolation, isUuid } from './sql-values.ts';

/** Users, tokens and named secrets in the database. An email that is taken throws `Problem('conflict')`. */
export function createCredentialStore(db: Kysely<Database>): CredentialStore {
  return {
    async addUser(email, passwordHash, act) {
      try {
        const row = await withAct(db, act, (trx) =>
          trx
            .insertInto('users')
            .values({ email, password_hash: passwordHash })
            .returningAll()
            .executeTakeFirstOrThrow(),
        );
        return userRecord(row!);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Problem('conflict', `a user with the email ${email} exists already`, { cause: error });
      }
    },

    async setPassword(userId, passwordHash, act) {
      if (!isUuid(userId)) return;
      await withAct(db, act, async (trx) => {
        const set = trx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId);
        return (await set.returning('id').executeTakeFirst()) ?? null;
      });
    },

    async userByEmail(email) {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where(sql<boolean>`lower(email) = lower(${email})`)
        .executeTakeFirst();
      return row === undefined ? null : userRecord(row);
    },

    async userById(id) {
      if (!isUuid(id)) return null;
      const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : userRecord(row);
    },

    async countUsers() {
      const row = await db
        .selectFrom('users')
        .select(sql<number>`count(*)::int`.as('count'))
        .executeTakeFirstOrThrow();
      return row.count;
    },

    addToken({ userId, label, scopes, hash, expiresAt }, act) {
      return db.transaction().execute(async (trx) => {
        const row = await trx
          .insertInto('tokens')
          .values({ user_id: userId, label, scopes: JSON.stringify(scopes), hash, expires_at: expiresAt })
          .returningAll()
          .executeTakeFirstOrThrow();
        if (act !== undefined) await writeAct(trx, { target: row.id, ...act });
        return tokenRecord(row);
      });
    },

    async activeTokenByHash(hash) {
      const row = await db
        .selectFrom('tokens')
        .selectAll()
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`(expires_at is null or expires_at > now())`)
        .executeTakeFirst();
      return row === undefined ? null : { record: tokenRecord(row), hash: row.hash };
    },

    async listTokens({ userId, includeRevoked }) {
      if (userId !== undefined && !isUuid(userId)) return [];
      const rows = await db
        .selectFrom('tokens')
        .selectAll()
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string))
        .$if(includeRevoked !== true, (query) => query.where('revoked_at', 'is', null))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(tokenRecord);
    },

    async revokeToken(id, act) {
      if (!isUuid(id)) return false;
      const revoked = await withAct(db, act, async (trx) => {
        const row = await trx
          .updateTable('tokens')
          .set({ revoked_at: sql<Date>`now()` })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .returning('id')
          .executeTakeFirst();
        return row ?? null;
      });
      return revoked !== null;
    },

    async touchToken(id) {
      if (!isUuid(id)) return;
      await db
        .updateTable('tokens')
        .set({ last_used_at: sql<Date>`now()` })
        .where('id', '=', id)
        .execute();
    },

    async namedSecret(name, create) {
      const find = () => db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
      const known = await find();
      if (known !== undefined) return known.value;
      await db
        .insertInto('secrets')
        .values({ name, value: create() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      // Read again: of several processes that made one at the same time, the first one's value counts.
      const kept = await find();
      if (kept === undefined) throw new Error(`the secret ${name} was not kept`);
      return kept.value;
    },
  };
}

function userRecord(row: Selectable<Database['users']>): UserRecord {
  return { id: row.id, email: row.email, passwordHash: row.password_hash, createdAt: row.created_at };
}

function tokenRecord(row: Selectable<Database['tokens']>): TokenRecord {
  return {
    id: row.id,
    userId: row.user_id,
    label: row.label,
    scopes: row.scopes as Scope[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
