import { sql, type Kysely, type Transaction } from 'kysely';
import type { AuditLog, AuditedAct, NewAct } from '../auth/audit-log.ts';
import type { Database } from './database.ts';
import { pageIsGone } from './page-is-gone.ts';
import { isUuid } from './sql-values.ts';

/**
 * Does `work`, which gives what it changed or null, and records the act in the same transaction: a change without its act,
 * or an act without its change, cannot be. Without an act, or where nothing changed, nothing is recorded.
 */
export function withAct<T>(
  db: Kysely<Database>,
  act: NewAct | undefined,
  work: (trx: Transaction<Database>) => Promise<T | null>,
): Promise<T | null> {
  return db.transaction().execute(async (trx) => {
    const changed = await work(trx);
    if (act !== undefined && changed !== null) await writeAct(trx, act);
    return changed;
  });
}

/** Records an act inside the transaction of what it did. */
export async function writeAct(
  db: Kysely<Database>,
  { actor, credential, source, act, target, detail = {}, at }: NewAct,
): Promise<void> {
  const row = { actor, credential, source, act, target, detail: JSON.stringify(detail) };
  await db
    .insertInto('audit_log')
    .values(at === undefined ? row : { ...row, at })
    .execute();
}

/** The audit log of a process that keeps its retention. */
export interface KeptAuditLog extends AuditLog {
  /** Deletes what is older than its retention; returns how many acts. */
  deleteExpired(): Promise<number>;
}

/**
 * The audit log in the database. What is older than `retentionDays` is never listed; the process that opens the log calls
 * `deleteExpired` from time to time, because acts are written by the transactions of their changes too.
 */
export function createAuditLog(db: Kysely<Database>, retentionDays: number): KeptAuditLog {
  const isOver = sql<boolean>`at < now() - ${retentionDays}::double precision * interval '1 day'`;
  return {
    recordAct: (act) => writeAct(db, act),

    async deleteExpired() {
      const { numDeletedRows } = await db.deleteFrom('audit_log').where(isOver).executeTakeFirst();
      return Number(numDeletedRows);
    },

    async listActs({ limit, before, act }) {
      if (before !== undefined && !(isUuid(before) && (await exists(db, before)))) throw pageIsGone('act', before);
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
        .where(sql<boolean>`not ${isOver}`)
        .$if(act !== undefined, (query) => query.where('act', '=', act as AuditedAct))
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(at, id) < (select at, id from audit_log where id = ${before as string})`),
        )
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows;
    },
  };
}

async function exists(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.selectFrom('audit_log').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}
