import { removeHeads } from '../../service/models/installed-models.ts';
import { UsageError, type Command } from '../command.ts';

export const modelsRemove: Command = {
  args: [{ name: 'NAME', doc: 'A head or a model, as firstmile models list shows them.', required: true }],
  options: {},
  examples: ['npx firstmile models remove soy-2024', 'npx firstmile models remove fdp-2025b'],
  async run({ args, config, err }) {
    const removed = await removeHeads(config, args[0] ?? '').catch((error: unknown) => {
      throw new UsageError(`NAME: ${(error as Error).message}`, { cause: error });
    });
    err.write(`Removed ${removed.join(', ')}. A running service notices at its next request.\n`);
    return 0;
  },
};
