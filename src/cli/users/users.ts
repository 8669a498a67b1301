import { counted } from '../../counted.ts';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { hashPassword } from '../../auth/passwords.ts';
import { openCredentials } from '../../app/credentials.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { openUsers } from '../../app/users-admin.ts';
import type { Legacy, UserOverview } from '../../app/users-control.ts';
import { textTable } from '../parts/text-table.ts';
import type { Config } from '../../config/settings.ts';

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

export const userList: Command = {
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array instead of a table.' } },
  examples: ['npx firstmile user list'],
  async run({ options, config, out, err }) {
    await using opened = await openUsers(config);
    const users = await opened.users.listUsers();
    if (options['json'] === true) out.write(`${JSON.stringify(users, null, 2)}\n`);
    else if (users.length === 0) err.write('There are no users; firstmile user add makes one.\n');
    else
      out.write(textTable(['email', 'id', 'created', 'password', 'tokens', 'collections', 'webhook'], users.map(row)));
    return 0;
  },
};

function row(user: UserOverview): string[] {
  return [
    user.email,
    user.id,
    user.createdAt.toISOString().slice(0, 10),
    user.hasPassword ? 'yes' : 'no',
    String(user.tokens),
    String(user.collections),
    user.webhook ? 'yes' : 'no',
  ];
}

export const userGive: Command = {
  args: [
    { name: 'FROM', doc: 'Email or id of whoever owns the collections and tasks now.', required: true },
    { name: 'TO', doc: 'Email or id of whoever is to own them.', required: true },
  ],
  options: {},
  examples: [
    'npx firstmile user give ana@example.org ben@example.org',
    'npx firstmile user give auth0-ana jwt:5f1c0b7a9d3e2468:auth0-ana',
  ],
  async run({ args, config, err, actOf }) {
    const [from, to] = [await ownerOf(args[0] ?? '', config), await ownerOf(args[1] ?? '', config)];
    if (from === to) throw new UsageError('FROM and TO are the same; wanted two owners');
    await using opened = await openUsers(config);
    const { collections, tasks } = await opened.users.giveOwned({ from, to, act: actOf('user_data_given') });
    err.write(
      `${counted(collections, 'collection')} and ${counted(tasks, 'task')} of ${from} belong to ${to} now. A webhook does not change hands: its secret is sealed for its owner; register it again.\n`,
    );
    return collections + tasks > 0 ? 0 : 1;
  },
};

/** The id of a local user for its email; anything else is an id, such as one of an outside issuer's user. */
async function ownerOf(text: string, config: Config): Promise<string> {
  await using opened = await openCredentials(config);
  return (await opened.credentials.userByEmail(text))?.id ?? text;
}

export const userRemove: Command = {
  args: [{ name: 'EMAIL', doc: 'The user to remove.', required: true }],
  options: {
    'give-to': { type: 'string', value: 'EMAIL', doc: 'Another user who gets the collections and tasks.' },
    'delete-collections': { type: 'boolean', doc: 'Deletes the collections with their files and results, for good.' },
  },
  examples: [
    'npx firstmile user remove ana@example.org --give-to ben@example.org',
    'npx firstmile user remove ana@example.org',
  ],
  async run({ args, options, config, err, actOf }) {
    const email = args[0] ?? '';
    const heir = options['give-to'];
    if (typeof heir === 'string' && options['delete-collections'] === true)
      throw new UsageError('--give-to and --delete-collections contradict each other; wanted one of them');
    const id = await idOf(email, config);
    const legacy: Legacy =
      typeof heir === 'string'
        ? { kind: 'give', to: await idOf(heir, config) }
        : { kind: options['delete-collections'] === true ? 'delete' : 'keep' };
    if (legacy.kind === 'give' && legacy.to === id)
      throw new UsageError('--give-to names the user who is removed; wanted another one');
    await using opened = await openUsers(config);
    const { collections } = await opened.users.removeUser({ id, legacy, act: actOf('user_removed') });
    err.write(
      `User ${email} (${id}) is removed with password, tokens and webhook. ${fate(collections, legacy, heir, id)}\n`,
    );
    return 0;
  },
};

function fate(collections: number, legacy: Legacy, heir: unknown, id: string): string {
  if (collections === 0) return 'There were no collections.';
  const what = `${collections} collection${collections === 1 ? '' : 's'}`;
  if (legacy.kind === 'delete') return `${what} deleted.`;
  if (legacy.kind === 'give') return `${what} given to ${String(heir)}.`;
  return `${what} kept under this id: firstmile user give ${id} EMAIL gives them to another user.`;
}

async function idOf(email: string, config: Config): Promise<string> {
  await using opened = await openCredentials(config);
  const user = await opened.credentials.userByEmail(email);
  if (user === null) throw new UsageError(`there is no user ${email}; firstmile user list shows them`);
  return user.id;
}
