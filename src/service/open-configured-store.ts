import { bucketPlace } from '../config/bucket-place.ts';
import type { Config } from '../config/settings.ts';
import { openS3 } from '../db/object-store/open-s3.ts';
import { openStore, type Store } from '../db/open-store.ts';
import type { Log } from '../log.ts';

/** Opens the database of the settings, embedded or a server, with its tables up to date, and the bucket of its files. */
export async function openConfiguredStore(config: Config, log: Log): Promise<Store> {
  const place = bucketPlace(config);
  const objects = place === null ? null : openS3(place);
  try {
    const store = await openStore({
      dataDir: config.dataDir,
      acceptDamage: config.acceptDamagedDatabase,
      databaseUrl: config.databaseUrl,
      objects,
      poolSize: config.databasePoolSize,
      log,
    });
    const close = async (): Promise<void> => {
      await store.close();
      await objects?.close();
    };
    return { ...store, close };
  } catch (error) {
    await objects?.close();
    throw error;
  }
}
