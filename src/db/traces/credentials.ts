import { sql } from 'kysely';
import type { NewAct } from '../../auth/audit-log.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import { withAct } from '../audit-log.ts';
import type { Store } from '../open-store.ts';

/** Sealed credentials with whose they are. */
interface SealedCredentials {
  readonly userId: string;
  readonly environment: TracesEnvironment;
  readonly sealed: string;
}

/** Credentials for the information system, one per user and environment, sealed by whoever stores them. */
export interface TracesCredentialStore {
  put(credentials: SealedCredentials, act?: NewAct): Promise<void>;
  get(userId: string, environment: TracesEnvironment): Promise<string | null>;
  /** Which a user has, and since when. */
  list(userId: string): Promise<readonly { readonly environment: TracesEnvironment; readonly updatedAt: Date }[]>;
  /** False when there were none. */
  remove(userId: string, environment: TracesEnvironment, act?: NewAct): Promise<boolean>;
  /** All of them; there are at most three per user. */
  all(): Promise<readonly SealedCredentials[]>;
  /** Seals again, if they are still as they were. */
  reseal(before: SealedCredentials, sealed: string): Promise<void>;
}

export function createTracesCredentialStore({ db }: Pick<Store, 'db'>): TracesCredentialStore {
  return {
    async put({ userId, environment, sealed }, act) {
      await withAct(db, act, (trx) =>
        trx
          .insertInto('traces_credentials')
          .values({ user_id: userId, environment, sealed })
          .onConflict((conflict) =>
            conflict.columns(['user_id', 'environment']).doUpdateSet({ sealed, updated_at: sql<Date>`now()` }),
          )
          .returning('user_id')
          .executeTakeFirstOrThrow(),
      );
    },
    async get(userId, environment) {
      const row = await db
        .selectFrom('traces_credentials')
        .select('sealed')
        .where('user_id', '=', userId)
        .where('environment', '=', environment)
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    async list(userId) {
      const rows = await db
        .selectFrom('traces_credentials')
        .select(['environment', 'updated_at'])
        .where('user_id', '=', userId)
        .orderBy('environment')
        .execute();
      return rows.map((row) => ({ environment: row.environment, updatedAt: row.updated_at }));
    },
    async remove(userId, environment, act) {
      const row = await withAct(db, act, async (trx) => {
        const removed = await trx
          .deleteFrom('traces_credentials')
          .where('user_id', '=', userId)
          .where('environment', '=', environment)
          .returning('user_id')
          .executeTakeFirst();
        return removed ?? null;
      });
      return row !== null;
    },
    async all() {
      const rows = await db.selectFrom('traces_credentials').selectAll().execute();
      return rows.map((row) => ({ userId: row.user_id, environment: row.environment, sealed: row.sealed }));
    },
    async reseal(before, sealed) {
      await db
        .updateTable('traces_credentials')
        .set({ sealed })
        .where('user_id', '=', before.userId)
        .where('environment', '=', before.environment)
        .where('sealed', '=', before.sealed)
        .execute();
    },
  };
}
