import { createToken } from '../../auth/tokens.ts';
import type { TokenRecord } from '../../auth/principal.ts';
import { type Scope, SCOPES } from '../../auth/scopes.ts';
import { openCredentials } from '../../app/credentials.ts';
import { type Command, UsageError } from '../command.ts';
import { DAY_MS } from '../../durations.ts';
import { textTable } from '../parts/text-table.ts';

export const tokenCreate: Command = {
  args: [],
  options: {
    user: { type: 'string', value: 'EMAIL', doc: 'Whose token it is; default dev@localhost.' },
    label: { type: 'string', value: 'TEXT', doc: 'What it is for; shown in lists.' },
    scopes: {
      type: 'string',
      value: 'LIST',
      doc: `Comma-separated rights out of ${SCOPES.join(', ')}; default all but traces and admin.`,
    },
    'expires-days': { type: 'string', value: 'N', doc: 'Days until it expires; default never.' },
  },
  examples: [
    'npx firstmile token create --label ci --scopes validate',
    'npx firstmile token create --user ana@example.org --expires-days 90',
  ],
  async run({ options, config, out, err, actOf }) {
    const scopes = parseScopes(options['scopes'] as string | undefined);
    const expiresAt = parseExpiry(options['expires-days'] as string | undefined);
    const email = (options['user'] as string | undefined) ?? 'dev@localhost';
    await using opened = await openCredentials(config);
    const user = await opened.credentials.userByEmail(email);
    if (user === null) throw new UsageError(`there is no user ${email}; firstmile user add ${email} makes one`);
    const label = (options['label'] as string | undefined) ?? 'command line';
    const { token, hash } = createToken();
    const added = { userId: user.id, label, scopes, hash, expiresAt };
    const record = await opened.credentials.addToken(added, actOf('token_created'));
    err.write(
      `Token ${record.id} of ${email} for ${scopes.join(', ')}${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}. Keep it: it is not shown again.\n`,
    );
    out.write(`${token}\n`);
    return 0;
  },
};

function parseScopes(text: string | undefined): readonly Scope[] {
  if (text === undefined) return SCOPES.filter((scope) => scope !== 'admin' && scope !== 'traces');
  return text.split(',').map((part) => {
    const scope = SCOPES.find((known) => known === part.trim());
    if (scope === undefined)
      throw new UsageError(`--scopes: wanted a list out of ${SCOPES.join(', ')}, got "${part.trim()}"`);
    return scope;
  });
}

function parseExpiry(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (!(days > 0 && days <= 36_500))
    throw new UsageError(`--expires-days: wanted a number of days up to 36500, got "${text}"`);
  return new Date(Date.now() + days * DAY_MS);
}

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

export const tokenRevoke: Command = {
  args: [{ name: 'ID', doc: 'The id that firstmile token list shows.', required: true }],
  options: {},
  examples: ['npx firstmile token revoke 0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'],
  async run({ args, config, err, actOf }) {
    await using opened = await openCredentials(config);
    const id = args[0] ?? '';
    if (!(await opened.credentials.revokeToken(id, actOf('token_revoked')))) {
      err.write(`firstmile token revoke: no active token has the id ${id}; firstmile token list shows them\n`);
      return 1;
    }
    err.write(`Token ${id} is revoked.\n`);
    return 0;
  },
};
