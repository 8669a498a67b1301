import { randomUUID } from 'node:crypto';
import { openWebhookAdmin } from '../../app/webhooks-admin.ts';
import type { Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

export const webhookAnnounce: Command = {
  args: [],
  options: {
    ...USER_OPTION,
    id: {
      type: 'string',
      value: 'ID',
      doc: 'Id of the collection; default a new one. A second batch of the same id makes no event.',
    },
    name: { type: 'string', value: 'TEXT', doc: '`collection_name` of the event; default "a collection".' },
    description: { type: 'string', value: 'TEXT', doc: '`description` of the event; default empty.' },
  },
  examples: ['npx firstmile webhook announce --name "cocoa lot 7"'],
  async run({ options, config, err }) {
    const text = (name: string): string | undefined => options[name] as string | undefined;
    const userId = await userIdOf(options['user'], config);
    const collectionId = text('id') ?? randomUUID();
    await using opened = await openWebhookAdmin(config);
    const isNew = await opened.webhooks.announceBatch({
      userId,
      collectionId,
      collectionName: text('name') ?? 'a collection',
      description: text('description') ?? '',
    });
    if (!isNew) {
      err.write(`firstmile webhook announce: the batch ${collectionId} has its event already, or none can carry it\n`);
      return 1;
    }
    err.write(`The batch ${collectionId} is complete; its event goes to the webhook of the user, if there is one.\n`);
    return 0;
  },
};
