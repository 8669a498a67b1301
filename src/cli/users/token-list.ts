import type { TokenRecord } from '../../auth/principal.ts';
import { openCredentials } from '../../app/credentials.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

export const tokenList: Command = {
  args: [],
  options: {
    user: { type: 'string', value: 'EMAIL', doc: 'Only those of one user.' },
    all: { type: 'boolean', doc: 'Revoked ones too.' },
    json: { type: 'boolean', doc: 'One JSON array instead of a table.' },
  },
  examples: ['npx firstmile token list', 'npx firstmile token list --user ana@example.org --all --json'],
  async run({ options, config, out, err }) {
    await using opened = await openCredentials(config);
    const email = options['user'] as string | undefined;
    const user = email === undefined ? null : await opened.credentials.userByEmail(email);
    if (email !== undefined && user === null) throw new UsageError(`there is no user ${email}`);
    const tokens = await opened.credentials.listTokens({
      includeRevoked: options['all'] === true,
      ...(user ? { userId: user.id } : {}),
    });
    if (options['json'] === true) out.write(`${JSON.stringify(tokens, null, 2)}\n`);
    else if (tokens.length === 0) err.write('There are no tokens; firstmile token create makes one.\n');
    else out.write(textTable(['id', 'label', 'scopes', 'created', 'last used', 'state'], tokens.map(row)));
    return 0;
  },
};

function row(token: TokenRecord): string[] {
  return [
    token.id,
    token.label,
    token.scopes.join(','),
    day(token.createdAt),
    token.lastUsedAt ? day(token.lastUsedAt) : 'never',
    state(token),
  ];
}

function state(token: TokenRecord): string {
  if (token.revokedAt !== null) return `revoked ${day(token.revokedAt)}`;
  if (token.expiresAt === null) return 'active';
  return `${token.expiresAt.getTime() < Date.now() ? 'expired' : 'active until'} ${day(token.expiresAt)}`;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
