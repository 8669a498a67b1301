import type { Kysely } from 'kysely';
import type { ReportEmail } from '../../collections/report-email.ts';
import type { EmailState } from '../../email/email.ts';
import type { Database } from '../database.ts';

const STATES = {
  pending: 'queued',
  sending: 'queued',
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
} as const satisfies Record<EmailState, ReportEmail['state']>;

/**
 * The email with the report of the batch that a collection shows. Null where no batch was completed yet, or none that was to
 * send a report.
 */
export async function findReportEmail(db: Kysely<Database>, collectionId: string): Promise<ReportEmail | null> {
  const collection = await db
    .selectFrom('collections')
    .select(['run', 'user_id', 'options'])
    .where('id', '=', collectionId)
    .executeTakeFirst();
  const run = collection?.run ?? null;
  if (collection === undefined || run === null) return null;
  const email = await db
    .selectFrom('emails')
    .select(['state', 'detail', 'recipient', 'next_attempt_at', 'finished_at'])
    .where('key', '=', `report/${run}`)
    .executeTakeFirst();
  if (email !== undefined)
    return {
      state: STATES[email.state],
      reason: email.detail,
      to: email.recipient,
      nextAttemptAt: email.next_attempt_at,
      finishedAt: email.finished_at,
    };
  if (collection.options?.eudrDds !== true) return null;
  const user = await db
    .selectFrom('users')
    .select('email')
    .where((where) => where(where.cast('id', 'text'), '=', collection.user_id))
    .executeTakeFirst();
  const reason =
    user === undefined
      ? 'No email address of yours was known, or the email is no longer kept; the export has the same content.'
      : 'The email is no longer kept; the export has the same content.';
  return { state: 'none', reason, to: null, nextAttemptAt: null, finishedAt: null };
}
