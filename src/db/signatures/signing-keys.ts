import { type Kysely, sql } from 'kysely';
import type { NewAct } from '../../auth/audit-log.ts';
import type { PublicSigningKey } from '../../signatures/signing-key.ts';
import { writeAct } from '../audit-log.ts';
import type { Database } from '../database.ts';

/** A key that is to sign from now on. */
interface NewKey {
  readonly id: string;
  readonly x: string;
  /** The private half. */
  readonly sealed: string;
}

/** The key in use, its private half sealed. */
export interface KeyInUse {
  readonly id: string;
  readonly x: string;
  readonly sealed: string;
}

/** The keys that files are signed with: one in use, and the public halves of all before it. */
export interface SigningKeyStore {
  /** Null before the first. */
  inUse(): Promise<KeyInUse | null>;
  /** Makes the key the one in use where none is; otherwise nothing. */
  putFirst(key: NewKey): Promise<void>;
  /** Makes the key the one in use, and destroys the private half of the one before it. */
  replace(key: NewKey, act?: NewAct): Promise<void>;
  /** Destroys the private half of a key, so that the next signature makes another one. */
  retire(id: string): Promise<void>;
  /** Every key there ever was, the newest first. */
  all(): Promise<readonly PublicSigningKey[]>;
  /** Seals again, if it is still as it was. */
  reseal(before: KeyInUse, sealed: string): Promise<void>;
}

const RETIRED = { sealed: null, retired_at: sql<Date>`now()` } as const;

export function createSigningKeyStore({ db }: { readonly db: Kysely<Database> }): SigningKeyStore {
  return {
    async inUse() {
      const row = await db
        .selectFrom('signing_keys')
        .select(['id', 'public_key', 'sealed'])
        .where('retired_at', 'is', null)
        .executeTakeFirst();
      return row === undefined ? null : { id: row.id, x: row.public_key, sealed: row.sealed! };
    },
    async putFirst({ id, x, sealed }) {
      await sql`insert into signing_keys (id, public_key, sealed) values (${id}, ${x}, ${sealed})
        on conflict ((true)) where retired_at is null do nothing`.execute(db);
    },
    async replace({ id, x, sealed }, act) {
      await db.transaction().execute(async (trx) => {
        await trx.updateTable('signing_keys').set(RETIRED).where('retired_at', 'is', null).execute();
        await trx.insertInto('signing_keys').values({ id, public_key: x, sealed }).execute();
        if (act !== undefined) await writeAct(trx, act);
      });
    },
    async retire(id) {
      await db.updateTable('signing_keys').set(RETIRED).where('id', '=', id).where('retired_at', 'is', null).execute();
    },
    async all() {
      const rows = await db
        .selectFrom('signing_keys')
        .select(['id', 'public_key', 'created_at', 'retired_at'])
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        x: row.public_key,
        createdAt: row.created_at,
        retiredAt: row.retired_at,
      }));
    },
    async reseal(before, sealed) {
      await db
        .updateTable('signing_keys')
        .set({ sealed })
        .where('id', '=', before.id)
        .where('sealed', '=', before.sealed)
        .execute();
    },
  };
}
