import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { hashPassword } from '../../auth/passwords.ts';
import { openCredentials } from '../../app/credentials.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';

export const userAdd: Command = {
  args: [{ name: 'EMAIL', doc: 'The address the user signs in with.', required: true }],
  options: {
    'password-stdin': { type: 'boolean', doc: 'Reads the password from standard input.' },
    'no-password': { type: 'boolean', doc: 'Adds a user who has only API tokens.' },
  },
  examples: [
    'npx firstmile user add ana@example.org',
    'printf %s "$PASSWORD" | npx firstmile user add ana@example.org --password-stdin',
  ],
  async run(context) {
    const email = context.args[0] ?? '';
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      throw new UsageError(`EMAIL: wanted an address such as ana@example.org, got "${email}"`);
    const password = context.options['no-password'] === true ? null : await readPassword(context);
    const hash = password === null ? null : await hashPassword(password);
    await using opened = await openCredentials(context.config);
    const existing = await opened.credentials.userByEmail(email);
    if (existing === null) {
      const user = await opened.credentials.addUser(email, hash, context.actOf('user_added'));
      context.err.write(
        `User ${user.email} is added (${user.id}). firstmile token create --user ${user.email} makes a token.\n`,
      );
      return 0;
    }
    if (hash === null) throw new UsageError(`there is a user ${email} already`);
    await opened.credentials.setPassword(existing.id, hash, context.actOf('password_changed'));
    context.err.write(`The password of ${existing.email} is set.\n`);
    return 0;
  },
};

async function readPassword({ options, err }: CommandContext): Promise<string> {
  if (options['password-stdin'] === true) return (await readAll(process.stdin)).replace(/\r?\n$/, '');
  if (!process.stdin.isTTY)
    throw new UsageError('there is no terminal to enter a password; use --password-stdin or --no-password');
  err.write('Password: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  const password = await terminal.question('');
  terminal.close();
  err.write('\n');
  return password;
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
