import { openTracesAdmin } from '../../app/traces-admin.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { ENVIRONMENT_OPTION, environmentOf } from './filing-options.ts';
import { submissionText } from './filing-text.ts';

const MAX_LIMIT = 1_000;

export const tracesStatus: Command = {
  args: [{ name: 'SUBMISSION', doc: 'Id of a submission; without it the newest are listed.', required: false }],
  options: {
    ...USER_OPTION,
    ...ENVIRONMENT_OPTION,
    collection: { type: 'string', value: 'ID', doc: 'Those of one collection.' },
    before: { type: 'string', value: 'ID', doc: 'Those after this one in the list: the next page.' },
    limit: { type: 'string', value: 'N', doc: `At most this many, up to ${MAX_LIMIT}; default 50.` },
    refresh: { type: 'boolean', doc: 'Has the status queried now, once a minute at most.' },
    json: { type: 'boolean', doc: 'JSON instead of text.' },
  },
  examples: [
    'npx firstmile traces status',
    'npx firstmile traces status 5d0c0a8e-2f57-4d3f-9b1a-7f0f5a0b3c21 --refresh',
  ],
  async run({ args, options, config, out, err }) {
    const limit = Number(options['limit'] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw new UsageError(`--limit: wanted a whole number from 1 to ${MAX_LIMIT}, got "${String(options['limit'])}"`);
    const userId = await userIdOf(options['user'], config);
    await using opened = await openTracesAdmin(config);
    const id = args[0];
    if (id !== undefined) {
      const submission = await opened.traces.findSubmission({ userId, id, isFresh: options['refresh'] === true });
      out.write(
        options['json'] === true ? `${JSON.stringify(submission, null, 2)}\n` : submissionText(submission, new Date()),
      );
      return 0;
    }
    const [collectionId, before, environment] = [options['collection'], options['before'], environmentOf(options)];
    const found = await opened.traces.listSubmissions({
      userId,
      limit,
      ...(typeof collectionId === 'string' ? { collectionId } : {}),
      ...(typeof before === 'string' ? { before } : {}),
      ...(environment === null ? {} : { environment }),
    });
    if (options['json'] === true) out.write(`${JSON.stringify(found, null, 2)}\n`);
    else if (found.length === 0) err.write('There are no submissions.\n');
    else {
      const rows = found.map((one) => [
        one.id,
        one.environment,
        one.change === null ? one.state : `${one.state}, to ${one.change}`,
        one.referenceNumber ?? '',
        one.verificationNumber ?? '',
        one.createdAt.toISOString().slice(0, 16).replace('T', ' '),
        one.collectionId,
      ]);
      out.write(textTable(['id', 'environment', 'state', 'reference', 'verification', 'created', 'collection'], rows));
    }
    return 0;
  },
};
