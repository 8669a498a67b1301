import type { Config } from '../config/settings.ts';
import { HOUR_MS } from '../durations.ts';
import { every } from '../every.ts';
import { checkShared, openSharedData } from '../service/shared-data/sync-data.ts';
import type { World } from '../service/world/world.ts';

const FOLLOW_EVERY_MS = 5_000;

/** Stops a start that would answer from data which the other processes on the database do not have. */
export async function checkDataIsShared(config: Config): Promise<void> {
  const shared = openSharedData(config);
  try {
    await checkShared(config, shared, AbortSignal.timeout(HOUR_MS));
  } finally {
    await shared?.close();
  }
}

/** Looks for what others have shared also while no request comes; without a bucket each request looks by itself. */
export function followChanges(config: Config, data: Pick<World, 'refresh'>): () => void {
  if (config.objectStoreUrl === null) return () => {};
  return every(FOLLOW_EVERY_MS, () => void data.refresh());
}
