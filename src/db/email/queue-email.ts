import { acceptedLanguage, type Language } from '../../messages/languages.ts';
import { sql, type Transaction } from 'kysely';
import type { PreparedEmail } from '../../email/prepare-email.ts';
import type { Database } from '../database.ts';
import { isUuid } from '../sql-values.ts';

/**
 * Puts an email into the outbox inside the caller's transaction: it is sent exactly when that is committed. False when
 * there is one with this key already. An email with a fault is kept as failed, so that operators see it.
 */
export async function queueEmail(
  trx: Transaction<Database>,
  { key, userId, to, content, fault }: PreparedEmail,
): Promise<boolean> {
  const row = await trx
    .insertInto('emails')
    .values({
      key,
      kind: content.kind,
      user_id: userId,
      recipient: to,
      subject: content.subject,
      body: content.text,
      body_without_attachments: content.textWithoutAttachments,
      state: fault === null ? 'pending' : 'failed',
      detail: fault,
      ...(fault !== null && { next_attempt_at: null, finished_at: sql<Date>`now()` }),
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  if (content.attachments.length > 0) {
    const files = content.attachments.map(({ filename, contentType, blobId, size, sha256 }, seq) => ({
      email_id: row.id,
      seq,
      filename,
      content_type: contentType,
      size,
      sha256,
      blob_id: blobId,
    }));
    await trx.insertInto('email_attachments').values(files).execute();
  }
  return true;
}

/** Where notices about the webhook of a user go: to the local user, otherwise to the address the webhook was registered with. */
export async function addressForNotices(trx: Transaction<Database>, userId: string): Promise<string | null> {
  const own = await addressOfUser(trx, userId);
  if (own !== null) return own;
  const hook = await trx.selectFrom('webhooks').select('notice_email').where('user_id', '=', userId).executeTakeFirst();
  return hook?.notice_email ?? null;
}

/** What notices about the webhook of a user are written in: what it was registered or changed in last. */
export async function languageForNotices(trx: Transaction<Database>, userId: string): Promise<Language> {
  const hook = await trx
    .selectFrom('webhooks')
    .select('notice_language')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return acceptedLanguage(hook?.notice_language ?? undefined);
}

/** The address of one of our users; null for users of outside issuers and of the internal key, whose address is unknown. */
export async function addressOfUser(trx: Transaction<Database>, userId: string): Promise<string | null> {
  if (!isUuid(userId)) return null;
  const row = await trx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
  return row?.email ?? null;
}
