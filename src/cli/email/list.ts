import { EMAIL_STATES, type EmailRecord } from '../../email/email.ts';
import { openEmails } from '../../app/email-admin.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

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
