import { createToken } from '../../auth/tokens.ts';
import { SCOPES, type Scope } from '../../auth/principal.ts';
import { openCredentials } from '../../app/credentials.ts';
import { UsageError, type Command } from '../command.ts';
import { DAY_MS } from '../../durations.ts';

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
