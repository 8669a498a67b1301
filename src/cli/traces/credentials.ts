import { readFile } from 'node:fs/promises';
import { openTracesAdmin } from '../../app/traces-admin.ts';
import { IDENTITY_LENGTHS, type BodyIdentity } from '../../traces/messages/security-header.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { ENVIRONMENT_OPTION, environmentOf, standardInput } from './filing-options.ts';

export const tracesCredentials: Command = {
  args: [],
  options: {
    ...USER_OPTION,
    ...ENVIRONMENT_OPTION,
    username: { type: 'string', value: 'NAME', doc: 'User name of EU Login.' },
    'client-id': { type: 'string', value: 'ID', doc: 'WebServiceClientId, such as eudr-test.' },
    'key-file': {
      type: 'string',
      value: 'FILE',
      doc: 'File with the authentication key; - or nothing reads standard input, so that it is in no list of processes.',
    },
    'acting-for': {
      type: 'string',
      value: 'KIND:VALUE',
      doc: `Body identity, where one user acts for several operators: ${Object.keys(IDENTITY_LENGTHS).join(', ')}.`,
    },
    remove: { type: 'boolean', doc: 'Removes the credentials.' },
  },
  examples: [
    'npx firstmile traces credentials',
    'npx firstmile traces credentials --username n00abc --client-id eudr-test --key-file key.txt',
  ],
  async run({ options, config, out, err, actOf }) {
    const userId = await userIdOf(options['user'], config);
    const environment = environmentOf(options);
    const { actor, credential, source } = actOf('traces_credentials_set');
    const by = { actor, credential, source };
    await using opened = await openTracesAdmin(config);
    if (options['remove'] === true) {
      const removed = await opened.traces.removeFilingCredentials({ userId, environment, by });
      err.write(removed ? 'The credentials are removed.\n' : 'There were no credentials.\n');
      return removed ? 0 : 1;
    }
    if (options['username'] === undefined && options['client-id'] === undefined) {
      const { environments, credentials } = await opened.traces.filingStatus(userId);
      out.write(`Environments: ${environments.join(', ')}\n`);
      for (const kept of credentials)
        out.write(`Credentials for ${kept.environment} since ${kept.updatedAt.toISOString()}\n`);
      if (credentials.length === 0) out.write('There are no credentials.\n');
      return 0;
    }
    const credentials = {
      username: wanted(options, 'username'),
      clientId: wanted(options, 'client-id'),
      authenticationKey: await readKey(options),
      bodyIdentity: identityOf(options['acting-for']),
    };
    await opened.traces.setFilingCredentials({ userId, environment, credentials, by });
    err.write('The credentials are kept sealed; firstmile traces echo tries them.\n');
    return 0;
  },
};

function wanted(options: CommandContext['options'], name: string): string {
  const text = options[name];
  if (typeof text === 'string' && text.trim() !== '') return text.trim();
  throw new UsageError(`--${name}: wanted a text, got nothing`);
}

async function readKey(options: CommandContext['options']): Promise<string> {
  const path = (options['key-file'] as string | undefined) ?? '-';
  const key = (path === '-' ? await standardInput() : await readFile(path, 'utf8')).trim();
  if (key === '') throw new UsageError('--key-file: wanted an authentication key, got nothing');
  return key;
}

function identityOf(text: string | boolean | undefined): BodyIdentity | null {
  if (typeof text !== 'string') return null;
  const [kind, ...rest] = text.split(':');
  const value = rest.join(':');
  const known = Object.keys(IDENTITY_LENGTHS).find((one) => one === kind) as BodyIdentity['kind'] | undefined;
  if (known === undefined || value === '' || value.length > IDENTITY_LENGTHS[known])
    throw new UsageError(
      `--acting-for: wanted KIND:VALUE with a kind out of ${Object.keys(IDENTITY_LENGTHS).join(', ')}, got "${text}"`,
    );
  return { kind: known, value };
}
