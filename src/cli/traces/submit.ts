import { openTracesAdmin } from '../../app/traces-admin.ts';
import { isBlocking } from '../../traces/rules/filing-issues.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { typedConfirmation } from './confirm.ts';
import {
  ANSWER_OPTIONS,
  CONFIRM_OPTION,
  ENVIRONMENT_OPTION,
  filingRequest,
  STATEMENT_OPTIONS,
} from './filing-options.ts';
import { checkText, submissionText } from './filing-text.ts';
import { followCall } from './follow.ts';

export const tracesSubmit: Command = {
  args: [{ name: 'COLLECTION', doc: 'Id of a completed collection.', required: true }],
  options: {
    ...USER_OPTION,
    ...ENVIRONMENT_OPTION,
    ...CONFIRM_OPTION,
    ...STATEMENT_OPTIONS,
    ...ANSWER_OPTIONS,
    key: {
      type: 'string',
      value: 'TEXT',
      doc: 'A key of yours: the same command with it files once, however often it is run.',
    },
    json: { type: 'boolean', doc: 'The submission as JSON.' },
  },
  examples: ['npx firstmile traces submit 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d --answers lot-7.json'],
  async run({ args, options, config, out, err, signal, actOf }) {
    const userId = await userIdOf(options['user'], config);
    const request = await filingRequest(userId, args[0] ?? '', options);
    await using opened = await openTracesAdmin(config);
    const check = await opened.traces.checkFiling(request);
    if (check.issues.some(isBlocking)) {
      err.write(checkText(check));
      return 1;
    }
    for (const { level, field, detail } of check.issues) err.write(`${level}: ${field}: ${detail}\n`);
    const confirm = await typedConfirmation(check.confirmation, { options, err, signal });
    const { actor, credential, source } = actOf('statement_submitted');
    const idempotencyKey = (options['key'] as string | undefined) ?? null;
    const recorded = await opened.traces.submitFiling({
      ...request,
      confirm,
      by: { actor, credential, source },
      idempotencyKey,
    });
    err.write(`Recorded as ${recorded.internalReference} in ${recorded.environment}.\n`);
    const submission = await followCall(opened.traces, recorded, signal);
    out.write(
      options['json'] === true ? `${JSON.stringify(submission, null, 2)}\n` : submissionText(submission, new Date()),
    );
    return submission.state === 'refused' ? 1 : 0;
  },
};
