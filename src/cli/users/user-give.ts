import { openCredentials } from '../../app/credentials.ts';
import { openUsers } from '../../app/users-admin.ts';
import type { Config } from '../../config/settings.ts';
import { UsageError, type Command } from '../command.ts';

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
      `${collections} collections and ${tasks} tasks of ${from} belong to ${to} now. A webhook does not change hands: its secret is sealed for its owner; register it again.\n`,
    );
    return collections + tasks > 0 ? 0 : 1;
  },
};

/** The id of a local user for its email; anything else is an id, such as one of an outside issuer's user. */
async function ownerOf(text: string, config: Config): Promise<string> {
  await using opened = await openCredentials(config);
  return (await opened.credentials.userByEmail(text))?.id ?? text;
}
