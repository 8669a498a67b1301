import { openCollectionAdmin } from '../../app/collections-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

export const collectionsDelete: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile collections list shows.', required: true }],
  options: { ...USER_OPTION },
  examples: ['npx firstmile collections delete 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d'],
  async run({ args, options, config, err }) {
    const userId = await userIdOf(options['user'], config);
    await using opened = await openCollectionAdmin(config);
    await opened.collections.deleteCollection({ userId, id: args[0] ?? '' });
    err.write(`The collection ${args[0]} is deleted.\n`);
    return 0;
  },
};
