import { removeInstalledPack } from '../../service/datasets/pack-folder.ts';
import type { Command } from '../command.ts';

export const dataRemove: Command = {
  args: [{ name: 'PACK', doc: 'Name of the pack or registry; firstmile data verify lists them.', required: true }],
  options: {},
  examples: ['npx firstmile data remove ghana-latest'],
  async run({ args, config, err }) {
    await removeInstalledPack(config, args[0] ?? '');
    err.write(`Removed ${args[0]}. A running service notices at its next request.\n`);
    return 0;
  },
};
