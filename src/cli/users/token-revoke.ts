import { openCredentials } from '../../app/credentials.ts';
import type { Command } from '../command.ts';

export const tokenRevoke: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile token list shows.', required: true }],
  options: {},
  examples: ['npx firstmile token revoke 0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'],
  async run({ args, config, err, actOf }) {
    await using opened = await openCredentials(config);
    const id = args[0] ?? '';
    if (!(await opened.credentials.revokeToken(id, actOf('token_revoked')))) {
      err.write(`firstmile token revoke: no active token has the id ${id}; firstmile token list shows them\n`);
      return 1;
    }
    err.write(`Token ${id} is revoked.\n`);
    return 0;
  },
};
