import type { Config } from '../config/settings.ts';
import { openStore, type Store } from '../db/open-store.ts';
import type { Log } from '../log.ts';

/** Opens the database of the settings, embedded or a server, with its tables up to date. */
export function openConfiguredStore(config: Config, log: Log): Promise<Store> {
  return openStore({
    dataDir: config.dataDir,
    acceptDamage: config.acceptDamagedDatabase,
    databaseUrl: config.databaseUrl,
    poolSize: config.databasePoolSize,
    log,
  });
}
