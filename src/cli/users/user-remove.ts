import { openCredentials } from '../../app/credentials.ts';
import { openUsers } from '../../app/users-admin.ts';
import type { Legacy } from '../../app/users-control.ts';
import type { Config } from '../../config/settings.ts';
import { UsageError, type Command } from '../command.ts';

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
