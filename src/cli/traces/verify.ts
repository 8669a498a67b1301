import { openTracesAdmin } from '../../app/traces-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { ENVIRONMENT_OPTION, environmentOf } from './filing-options.ts';

export const tracesVerify: Command = {
  args: [
    { name: 'REFERENCE', doc: 'Reference number, such as 26BEABCDEFGHI.', required: true },
    { name: 'VERIFICATION', doc: 'Verification number.', required: true },
  ],
  options: { ...USER_OPTION, ...ENVIRONMENT_OPTION },
  examples: ['npx firstmile traces verify 26BEABCDEFGHI ABCD1234'],
  async run({ args, options, config, out }) {
    const userId = await userIdOf(options['user'], config);
    await using opened = await openTracesAdmin(config);
    const { result, status } = await opened.traces.verifyNumbers({
      userId,
      environment: environmentOf(options),
      referenceNumber: args[0] ?? '',
      verificationNumber: args[1] ?? '',
    });
    out.write(`${result}${status === null ? '' : ` (${status})`}\n`);
    return result === 'EXISTING_USABLE' ? 0 : 1;
  },
};
