import type { Config } from '../../config/settings.ts';
import type { Store } from '../../db/open-store.ts';
import type { Log } from '../../log.ts';
import { openConfiguredStore } from '../open-configured-store.ts';
import { joinInstallation } from './join-installation.ts';

/** Opens the database for a process that stays, which counts among those at work until it closes it. */
export async function openInstallation(config: Config, command: 'serve' | 'worker', log: Log): Promise<Store> {
  const store = await openConfiguredStore(config, log);
  try {
    const membership = await joinInstallation(store, config, command, log);
    const close = async (): Promise<void> => {
      await membership?.leave();
      await store.close();
    };
    return { ...store, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
