import type { Config } from '../../config/settings.ts';
import { FIRST_USER, openCredentials } from '../../app/credentials.ts';
import { UsageError, type CommandOption } from '../command.ts';

/** Whose things a command works on. */
export const USER_OPTION = {
  user: {
    type: 'string',
    value: 'USER',
    doc: `Email or id of the user, bootstrap for what FIRSTMILE_TOKEN made; default ${FIRST_USER}.`,
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** The id of the user that `--user` names. */
export async function userIdOf(user: string | boolean | undefined, config: Config): Promise<string> {
  const name = typeof user === 'string' ? user : FIRST_USER;
  if (!name.includes('@')) return name;
  await using opened = await openCredentials(config);
  const found = await opened.credentials.userByEmail(name);
  if (found === null) throw new UsageError(`there is no user ${name}; firstmile user add ${name} makes one`);
  return found.id;
}
