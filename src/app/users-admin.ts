import type { Config } from '../config/settings.ts';
import { createLog } from '../log.ts';
import { connectControl, controlPath } from './control.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { prepareDataFolder } from '../config/data-folder.ts';
import { createUsersAdmin, type UsersAdmin } from './users-control.ts';

interface OpenedUsers extends AsyncDisposable {
  readonly users: UsersAdmin;
}

/** Through the service that holds the embedded database open when one runs, otherwise in the database itself. */
export async function openUsers(config: Config): Promise<OpenedUsers> {
  if (config.databaseUrl === null) prepareDataFolder(config);
  const running = config.databaseUrl === null ? await connectControl(controlPath(config.dataDir)) : null;
  if (running !== null) return { users: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  return { users: createUsersAdmin(store), [Symbol.asyncDispose]: () => store.close() };
}
