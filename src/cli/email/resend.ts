import { openEmails } from '../../app/email-admin.ts';
import type { Command } from '../command.ts';

/** What is said of each answer, and whether it is a success. */
const ANSWERS = {
  queued: [0, 'is due now; it keeps its content and its Message-ID'],
  not_found: [1, 'does not exist; firstmile email list shows them'],
  sending: [1, 'is being sent right now'],
  sent: [1, 'was taken by the mail server before; it is not sent twice'],
} as const;

export const emailResend: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile email list shows.', required: true }],
  options: {},
  examples: ['npx firstmile email resend 0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'],
  async run({ args, config, err }) {
    const id = args[0] ?? '';
    await using opened = await openEmails(config);
    const [code, text] = ANSWERS[await opened.emails.resendEmail(id)];
    err.write(code === 0 ? `Email ${id} ${text}.\n` : `firstmile email resend: email ${id} ${text}\n`);
    if (code === 0 && config.smtpUrl === null)
      err.write('SMTP_URL is not set here, and without it the service sends none.\n');
    return code;
  },
};
