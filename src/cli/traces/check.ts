import { openTracesAdmin } from '../../app/traces-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { ANSWER_OPTIONS, ENVIRONMENT_OPTION, filingRequest, STATEMENT_OPTIONS } from './filing-options.ts';
import { checkText } from './filing-text.ts';

export const tracesCheck: Command = {
  args: [{ name: 'COLLECTION', doc: 'Id of a completed collection.', required: true }],
  options: {
    ...USER_OPTION,
    ...ENVIRONMENT_OPTION,
    ...STATEMENT_OPTIONS,
    ...ANSWER_OPTIONS,
    json: { type: 'boolean', doc: 'Everything that was found as JSON.' },
  },
  examples: [
    'npx firstmile traces check 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d',
    'npx firstmile traces check 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d --answers lot-7.json',
  ],
  async run({ args, options, config, out }) {
    const userId = await userIdOf(options['user'], config);
    const request = await filingRequest(userId, args[0] ?? '', options);
    await using opened = await openTracesAdmin(config);
    const check = await opened.traces.checkFiling(request);
    out.write(options['json'] === true ? `${JSON.stringify(check, null, 2)}\n` : checkText(check));
    return check.isReady ? 0 : 1;
  },
};
