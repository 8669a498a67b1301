import { openTracesAdmin } from '../../app/traces-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { ENVIRONMENT_OPTION, environmentOf } from './filing-options.ts';

export const tracesEcho: Command = {
  args: [],
  options: { ...USER_OPTION, ...ENVIRONMENT_OPTION },
  examples: ['npx firstmile traces echo'],
  async run({ options, config, out }) {
    const userId = await userIdOf(options['user'], config);
    await using opened = await openTracesAdmin(config);
    out.write(`${await opened.traces.echoFiling({ userId, environment: environmentOf(options) })}\n`);
    return 0;
  },
};
