import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings.ts';
import type { SmtpSettings } from '../../email/open-smtp.ts';
import type { EmailSender } from '../../email/start-email-sender.ts';
import type { Log } from '../../log.ts';
import { openEmailQueue } from '../../db/email/create-email-queue.ts';
import type { Store } from '../../db/open-store.ts';

/** Starts to send what is in the outbox; null without a mail server, when emails wait. */
export async function startConfiguredEmailSender(config: Config, store: Store, log: Log): Promise<EmailSender | null> {
  const { smtpUrl, emailFrom: from } = config;
  if (smtpUrl === null || from === null) {
    log.info('SMTP_URL is not set: emails wait in the outbox; firstmile email list shows them');
    return null;
  }
  // Not loaded without a mail server.
  const [{ openSmtp }, { startEmailSender }] = await Promise.all([
    import('../../email/open-smtp.ts'),
    import('../../email/start-email-sender.ts'),
  ]);
  const queue = await openEmailQueue(store, randomUUID());
  return startEmailSender({ queue, smtp: openSmtp(smtpSettings(smtpUrl, config.smtpTls)), from, log });
}

/** The parts of `SMTP_URL`; user and password are percent-decoded. */
function smtpSettings(smtpUrl: string, useTls: boolean): SmtpSettings {
  const url = new URL(smtpUrl);
  const atOnce = url.protocol === 'smtps:';
  return {
    host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (atOnce ? 465 : 587) : Number(url.port),
    tls: atOnce ? 'start' : useTls ? 'upgrade' : 'off',
    user: url.username === '' ? null : decodeURIComponent(url.username),
    password: url.password === '' ? null : decodeURIComponent(url.password),
  };
}
