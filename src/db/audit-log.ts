import { sql, type Kysely } from 'kysely';
import type { AuditLog, AuditedAct } from '../auth/audit-log.ts';
import type { Database } from './database.ts';
import { pageIsGone } from './page-is-gone.ts';
import { isUuid } from './sql-values.ts';

/** The audit log in the database; what is older than `retentionDays` is deleted whenever something is added. */
export function createAuditLog(db: Kysely<Database>, retentionDays: number): AuditLog {
  return {
    async recordAct({ actor, credential, source, act, target, detail = {}, at }) {
      const row = { actor, credential, source, act, target, detail: JSON.stringify(detail) };
      await db
        .insertInto('audit_log')
        .values(at === undefined ? row : { ...row, at })
        .execute();
      await sql`delete from audit_log
        where at < now() - ${retentionDays}::double precision * interval '1 day'`.execute(db);
    },

    async listActs({ limit, before, act }) {
      if (before !== undefined && !(isUuid(before) && (await exists(db, before)))) throw pageIsGone('act', before);
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
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
