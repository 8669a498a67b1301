import type { Config } from '../config/settings.ts';
import { createQueueViewer, type QueueView } from '../db/tasks/show-queue.ts';
import { createLog } from '../log.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { connectRunning } from './control.ts';

/** The queue of tasks: through the service that holds the embedded database open when one runs, otherwise from the database. */
export async function showQueue(config: Config): Promise<QueueView> {
  const running = await connectRunning(config);
  if (running !== null) return running.showQueue();
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  try {
    return await createQueueViewer(store.db).showQueue();
  } finally {
    await store.close();
  }
}
