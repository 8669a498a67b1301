import type { ShownEmail } from '../../email/email-queue.ts';
import { openEmails } from '../../app/email-admin.ts';
import type { Command } from '../command.ts';

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
