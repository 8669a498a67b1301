import { randomUUID } from 'node:crypto';
import { openCredentials } from '../service/credentials.ts';
import { openWebhookAdmin } from '../service/webhooks-admin.ts';
import type { Config } from '../config.ts';
import { UsageError, type Command } from './command.ts';

export const webhookAnnounce: Command = {
  name: 'webhook announce',
  summary: 'Completes a batch without plots, so that its user gets the event of a batch by the way all events take.',
  args: [],
  options: {
    user: { type: 'string', value: 'USER', doc: 'Email or id of the user; default dev@localhost.' },
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
    const userId = await idOf(text('user') ?? 'dev@localhost', config);
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

async function idOf(user: string, config: Config): Promise<string> {
  if (!user.includes('@')) return user;
  await using opened = await openCredentials(config);
  const found = await opened.credentials.userByEmail(user);
  if (found === null) throw new UsageError(`there is no user ${user}; firstmile user add ${user} makes one`);
  return found.id;
}
