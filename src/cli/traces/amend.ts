import { openTracesAdmin } from '../../app/traces-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { typedConfirmation } from './confirm.ts';
import { ANSWER_OPTIONS, CONFIRM_OPTION, readAnswers } from './filing-options.ts';
import { submissionText } from './filing-text.ts';
import { followCall } from './follow.ts';

export const tracesAmend: Command = {
  args: [{ name: 'SUBMISSION', doc: 'Id of a submission whose statement is available.', required: true }],
  options: {
    ...USER_OPTION,
    ...CONFIRM_OPTION,
    ...ANSWER_OPTIONS,
    json: { type: 'boolean', doc: 'The submission as JSON.' },
  },
  examples: ['npx firstmile traces amend 5d0c0a8e-2f57-4d3f-9b1a-7f0f5a0b3c21 --answers lot-7.json'],
  async run({ args, options, config, out, err, signal, actOf }) {
    const [userId, id] = [await userIdOf(options['user'], config), args[0] ?? ''];
    const answers = await readAnswers(options);
    await using opened = await openTracesAdmin(config);
    const wanted = await opened.traces.changeConfirmation({ userId, id, act: 'amend' });
    const confirm = await typedConfirmation(wanted, { options, err, signal });
    const { actor, credential, source } = actOf('statement_amended');
    const planned = await opened.traces.amendSubmission({
      userId,
      id,
      confirm,
      by: { actor, credential, source },
      ...answers,
    });
    const submission = await followCall(opened.traces, planned, signal);
    out.write(
      options['json'] === true ? `${JSON.stringify(submission, null, 2)}\n` : submissionText(submission, new Date()),
    );
    return submission.failure === null ? 0 : 1;
  },
};
