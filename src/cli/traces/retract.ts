import { openTracesAdmin } from '../../app/traces-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { typedConfirmation } from './confirm.ts';
import { CONFIRM_OPTION } from './filing-options.ts';
import { submissionText } from './filing-text.ts';
import { followCall } from './follow.ts';

export const tracesRetract: Command = {
  args: [{ name: 'SUBMISSION', doc: 'Id of a submission.', required: true }],
  options: { ...USER_OPTION, ...CONFIRM_OPTION, json: { type: 'boolean', doc: 'The submission as JSON.' } },
  examples: ['npx firstmile traces retract 5d0c0a8e-2f57-4d3f-9b1a-7f0f5a0b3c21'],
  async run({ args, options, config, out, err, signal, actOf }) {
    const [userId, id] = [await userIdOf(options['user'], config), args[0] ?? ''];
    await using opened = await openTracesAdmin(config);
    const { actor, credential, source } = actOf('statement_retracted');
    const by = { actor, credential, source };
    const before = await opened.traces.findSubmission({ userId, id, isFresh: false });
    const wanted = await opened.traces.changeConfirmation({ userId, id, act: 'retract' });
    const planned =
      before.state === 'waiting'
        ? await opened.traces.cancelSubmission({ userId, id, by })
        : await opened.traces.retractSubmission({
            userId,
            id,
            by,
            confirm: await typedConfirmation(wanted, { options, err, signal }),
          });
    const submission = await followCall(opened.traces, planned, signal);
    out.write(
      options['json'] === true ? `${JSON.stringify(submission, null, 2)}\n` : submissionText(submission, new Date()),
    );
    return submission.failure === null ? 0 : 1;
  },
};
