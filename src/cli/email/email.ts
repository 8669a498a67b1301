import { EMAIL_STATES, type EmailRecord } from '../../email/email.ts';
import { openEmails } from '../../app/email-admin.ts';
import { type Command, UsageError } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import type { ShownEmail } from '../../email/email-queue.ts';

const MAX_LIMIT = 10_000;

export const emailList: Command = {
  args: [],
  options: {
    state: { type: 'string', value: 'STATE', doc: `Only those in one state: ${EMAIL_STATES.join(', ')}.` },
    limit: { type: 'string', value: 'N', doc: `At most this many, up to ${MAX_LIMIT}; default 50.` },
    json: { type: 'boolean', doc: 'One JSON array instead of a table.' },
  },
  examples: ['npx firstmile email list', 'npx firstmile email list --state unknown --json'],
  async run({ options, config, out, err }) {
    const state = EMAIL_STATES.find((known) => known === options['state']);
    if (options['state'] !== undefined && state === undefined)
      throw new UsageError(`--state: wanted one of ${EMAIL_STATES.join(', ')}, got "${String(options['state'])}"`);
    const limit = parseLimit(options['limit'] as string | undefined);
    await using opened = await openEmails(config);
    const emails = await opened.emails.listEmails({ limit, ...(state && { state }) });
    if (options['json'] === true) out.write(`${JSON.stringify(emails, null, 2)}\n`);
    else if (emails.length === 0) err.write('There are no such emails.\n');
    else out.write(textTable(['id', 'state', 'kind', 'to', 'created', 'attempts', 'detail'], emails.map(row), [5]));
    if (emails.length === limit && limit < MAX_LIMIT) err.write(`These are the newest ${limit}; --limit shows more.\n`);
    if (config.smtpUrl === null && emails.some((email) => email.state === 'pending'))
      err.write('Pending emails wait: SMTP_URL is not set here, and without it the service sends none.\n');
    return 0;
  },
};

function parseLimit(text = '50'): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new UsageError(`--limit: wanted a whole number from 1 to ${MAX_LIMIT}, got "${text}"`);
  return limit;
}

function row(email: EmailRecord): string[] {
  const { id, state, kind, to, createdAt, attempts, nextAttemptAt, detail } = email;
  const next = attempts > 0 && nextAttemptAt !== null ? `again ${minute(nextAttemptAt)}: ` : '';
  return [id, state, kind, to, minute(createdAt), String(attempts), `${next}${detail ?? ''}`.slice(0, 80)];
}

function minute(date: Date): string {
  return date.toISOString().slice(0, 16).replace('T', ' ');
}

export const emailShow: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile email list shows.', required: true }],
  options: { json: { type: 'boolean', doc: 'JSON instead of text.' } },
  examples: ['npx firstmile email show 0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'],
  async run({ args, options, config, out, err }) {
    const id = args[0] ?? '';
    await using opened = await openEmails(config);
    const shown = await opened.emails.showEmail(id);
    if (shown === null) {
      err.write(`firstmile email show: there is no email ${id}; firstmile email list shows them\n`);
      return 1;
    }
    out.write(options['json'] === true ? `${JSON.stringify(shown, null, 2)}\n` : asText(shown));
    return 0;
  },
};

function asText({ email, text, attachments, attempts }: ShownEmail): string {
  const fields: readonly (readonly [string, string | null])[] = [
    ['State', email.state],
    ['Detail', email.detail],
    ['To', email.to],
    ['Subject', email.subject],
    ['Message-ID', email.messageId],
    ['Key', email.key],
    ['Created', email.createdAt.toISOString()],
    ['Next', email.nextAttemptAt?.toISOString() ?? null],
    ['Ended', email.finishedAt?.toISOString() ?? null],
    ...attachments.map(({ filename, size }) => ['File', `${filename} (${size} bytes)`] as const),
    ...attempts.map(
      ({ number, startedAt, endedAt, result, detail }) =>
        [
          `Attempt ${number}`,
          `${startedAt.toISOString()} ${endedAt.getTime() - startedAt.getTime()} ms ${result}: ${detail}`,
        ] as const,
    ),
  ];
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`${`${name}:`.padEnd(12)} ${value}`]));
  return `${lines.join('\n')}\n\n${text}\n`;
}

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
