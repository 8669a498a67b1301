import type { Transaction } from 'kysely';
import { deliveriesPausedEmail, deliveryFailedEmail } from '../../email/notice-emails.ts';
import type { EmailContent } from '../../email/email.ts';
import { mailWords, type MailWords } from '../../email/mail-words.ts';
import { prepareEmail } from '../../email/prepare-email.ts';
import type { Database } from '../../db/database.ts';
import { addressForNotices, languageForNotices, queueEmail } from '../../db/email/queue-email.ts';
import { PROBE_EVERY_S, type OnNotice, type WebhookNotice } from '../../db/webhooks/webhook-parts.ts';
import { FAILURE_REASONS } from '../../webhooks/delivery.ts';

/** Writes an email to the user about what happened to deliveries, in the transaction that records it. */
export function webhookNotices(serviceUrl: string | null): OnNotice {
  return async (trx, notice) => {
    const words = await mailWords(await languageForNotices(trx, notice.userId));
    await queueEmailToUser(trx, notice.userId, keyOf(notice), contentOf(notice, serviceUrl, words));
  };
}

/** False when the user's address is not known or there is an email with this key already. */
async function queueEmailToUser(
  trx: Transaction<Database>,
  userId: string,
  key: string,
  content: EmailContent,
): Promise<boolean> {
  const to = await addressForNotices(trx, userId);
  return to !== null && queueEmail(trx, prepareEmail({ key, userId, to, content }));
}

/** With the hour in it: one email an hour and user, however many deliveries fail. */
function keyOf(notice: WebhookNotice): string {
  const at = notice.kind === 'delivery_failed' ? notice.failedAt : new Date();
  return `${notice.kind}/${notice.userId}/${at.toISOString().slice(0, 13)}`;
}

function contentOf(notice: WebhookNotice, serviceUrl: string | null, words: MailWords): EmailContent {
  if (notice.kind === 'delivery_failed')
    return deliveryFailedEmail({ ...notice, reason: FAILURE_REASONS[notice.reason], serviceUrl }, words);
  const { url, failures } = notice;
  return deliveriesPausedEmail({ url, failures, probeEveryMinutes: PROBE_EVERY_S / 60, serviceUrl }, words);
}
