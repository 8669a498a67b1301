import { openUsers } from '../../app/users-admin.ts';
import type { UserOverview } from '../../app/users-control.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

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
