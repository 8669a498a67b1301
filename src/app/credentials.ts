import { SCOPES } from '../auth/scopes.ts';
import { createToken } from '../auth/tokens.ts';
import type { Config } from '../config/settings.ts';
import { Problem } from '../errors.ts';
import { createLog } from '../log.ts';
import type { Store } from '../db/open-store.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { connectRunning, type ControlledCredentials } from './control.ts';

export const FIRST_USER = 'dev@localhost';

interface OpenedCredentials extends AsyncDisposable {
  readonly credentials: ControlledCredentials;
}

/**
 * Users and tokens for the command line: through the service that holds the embedded database open when one runs,
 * otherwise from the database itself.
 */
export async function openCredentials(config: Config): Promise<OpenedCredentials> {
  const running = await connectRunning(config);
  if (running !== null) return { credentials: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  await ensureFirstUser(store);
  return { credentials: store.credentials, [Symbol.asyncDispose]: () => store.close() };
}

/** Makes the first user in an empty database and returns its id; null when there were users before. */
export async function ensureFirstUser(store: Store): Promise<string | null> {
  if ((await store.credentials.countUsers()) > 0) return null;
  try {
    return (await store.credentials.addUser(FIRST_USER, null)).id;
  } catch (error) {
    // Another process that started at the same moment was first.
    if (error instanceof Problem && error.code === 'conflict') return null;
    throw error;
  }
}

/** A token of the first user, which can do everything. */
export async function makeFirstToken(store: Store, userId: string): Promise<string> {
  const { token, hash } = createToken();
  await store.credentials.addToken({ userId, label: 'first start', scopes: SCOPES, hash, expiresAt: null });
  return token;
}
