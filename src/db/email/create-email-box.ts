import { sql, type Selectable } from 'kysely';
import type { EmailBox } from '../../email/email-queue.ts';
import type { EmailRecord } from '../../email/email.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';
import { isUuid } from '../sql-values.ts';

/** The outbox for operators. */
export function createEmailBox(db: Store['db']): EmailBox {
  return {
    async listEmails({ state, limit }) {
      const rows = await db
        .selectFrom('emails')
        .selectAll()
        .$if(state !== undefined, (query) => query.where('state', '=', state!))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(emailRecord);
    },

    async showEmail(id) {
      if (!isUuid(id)) return null;
      const row = await db.selectFrom('emails').selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined) return null;
      const attachments = await db
        .selectFrom('email_attachments')
        .select(['filename', 'size'])
        .where('email_id', '=', id)
        .orderBy('seq')
        .execute();
      const attempts = await db
        .selectFrom('email_attempts')
        .selectAll()
        .where('email_id', '=', id)
        .orderBy('number')
        .execute();
      return {
        email: emailRecord(row),
        text: row.body,
        attachments,
        attempts: attempts.map(({ number, started_at: startedAt, ended_at: endedAt, result, detail }) => ({
          number,
          startedAt,
          endedAt,
          result,
          detail,
        })),
      };
    },

    async resendEmail(id) {
      if (!isUuid(id)) return 'not_found';
      const row = await db
        .updateTable('emails')
        .set({
          state: 'pending',
          tries: 0,
          next_attempt_at: sql<Date>`now()`,
          finished_at: null,
          detail: 'queued by hand',
        })
        .where('id', '=', id)
        .where('state', 'in', ['pending', 'failed', 'unknown'])
        .returning('id')
        .executeTakeFirst();
      if (row !== undefined) return 'queued';
      const known = await db.selectFrom('emails').select('state').where('id', '=', id).executeTakeFirst();
      return known === undefined ? 'not_found' : known.state === 'sent' ? 'sent' : 'sending';
    },
  };
}

function emailRecord(row: Selectable<Database['emails']>): EmailRecord {
  return {
    id: row.id,
    key: row.key,
    kind: row.kind,
    userId: row.user_id,
    to: row.recipient,
    subject: row.subject,
    state: row.state,
    attempts: row.attempt,
    detail: row.detail,
    messageId: row.message_id,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    finishedAt: row.finished_at,
  };
}
