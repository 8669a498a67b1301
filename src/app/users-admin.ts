import type { Config } from '../config/settings.ts';
import { createLog } from '../log.ts';
import { connectRunning } from './control.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { createUsersAdmin, type UsersAdmin } from './users-control.ts';

interface OpenedUsers extends AsyncDisposable {
  readonly users: UsersAdmin;
}

/** Through the service that holds the embedded database open when one runs, otherwise in the database itself. */
export async function openUsers(config: Config): Promise<OpenedUsers> {
  const running = await connectRunning(config);
  if (running !== null) return { users: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  return { users: createUsersAdmin(store), [Symbol.asyncDispose]: () => store.close() };
}
