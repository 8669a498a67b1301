import {
  MAX_ATTACHMENT_BYTES,
  MAX_FILENAME_CHARACTERS,
  MAX_SUBJECT_CHARACTERS,
  MAX_TEXT_CHARACTERS,
} from '../../email/email.ts';
import { EMAIL_RETRY_DELAYS_S } from '../../email/email-queue.ts';
import { TIMEOUTS_MS } from '../../email/open-smtp.ts';
import { EMAILS_AT_ONCE } from '../../email/start-email-sender.ts';
import { EMAIL_RETENTION_DAYS } from '../../db/email/create-email-queue.ts';

/** The limits of emails, as `/limits` shows them. */
export function emailLimits() {
  const rows: readonly [name: string, value: number | string, unit: string, description: string][] = [
    [
      'email_attachment_bytes',
      MAX_ATTACHMENT_BYTES,
      'bytes',
      'Files of one email; a larger report goes as its address.',
    ],
    ['email_text_characters', MAX_TEXT_CHARACTERS, 'characters', 'The text of one email.'],
    ['email_subject_characters', MAX_SUBJECT_CHARACTERS, 'characters', 'The subject; a longer one is cut.'],
    ['email_filename_characters', MAX_FILENAME_CHARACTERS, 'characters', 'The name of a file; a longer one is cut.'],
    ['emails_at_once', EMAILS_AT_ONCE, 'emails', 'Sent at the same time by one process.'],
    ['email_attempt_s', TIMEOUTS_MS.attempt / 1_000, 's', 'One attempt to send an email in all.'],
    ['email_notices_per_hour', 1, 'emails', 'Of failed deliveries to one user, and as many of a pause.'],
    ['email_retry_delays_s', EMAIL_RETRY_DELAYS_S.join(', '), 's', 'From an attempt to send an email to the next one.'],
    ['email_retention_days', EMAIL_RETENTION_DAYS, 'days', 'How long an email is kept after it ended.'],
  ];
  return rows.map(([name, value, unit, description]) => ({ name, value, unit, description }));
}
