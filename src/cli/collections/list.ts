import { openCollectionAdmin } from '../../app/collections-admin.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

const MAX_LIMIT = 1_000;

export const collectionsList: Command = {
  args: [],
  options: {
    ...USER_OPTION,
    limit: { type: 'string', value: 'N', doc: `At most this many, up to ${MAX_LIMIT}; default 50.` },
    json: { type: 'boolean', doc: 'One JSON array instead of a table.' },
  },
  examples: ['npx firstmile collections list', 'npx firstmile collections list --user ada@example.org --json'],
  async run({ options, config, out, err }) {
    const limit = Number(options['limit'] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw new UsageError(`--limit: wanted a whole number from 1 to ${MAX_LIMIT}, got "${String(options['limit'])}"`);
    const userId = await userIdOf(options['user'], config);
    await using opened = await openCollectionAdmin(config);
    const found = await opened.collections.listCollections({ userId, limit });
    if (options['json'] === true) out.write(`${JSON.stringify(found, null, 2)}\n`);
    else if (found.length === 0) err.write('There are no collections.\n');
    else {
      const rows = found.map(({ id, name, status, counts, locationsConfidence, createdAt }) => [
        id,
        status,
        String(counts?.locations ?? ''),
        locationsConfidence ?? '',
        createdAt.toISOString().slice(0, 16).replace('T', ' '),
        name,
      ]);
      out.write(textTable(['id', 'status', 'locations', 'confidence', 'created', 'name'], rows, [2]));
    }
    return 0;
  },
};
