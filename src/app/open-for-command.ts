import type { Config } from '../config/settings.ts';
import { createLog, type Log } from '../log.ts';
import { openTasks, type OpenTasksOptions } from '../db/tasks/open-tasks.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { openWorld } from '../service/world/world.ts';

/** Opens what a command works with where no running service holds it: database, task queue and data, all closed by `opened`. */
export async function openForCommand(
  config: Config,
  opened: AsyncDisposableStack,
  hooks: Pick<OpenTasksOptions, 'onFinished' | 'onSubmitted'> = {},
) {
  const log: Log = createLog({ level: 'warn', json: false });
  const store = await openConfiguredStore(config, log);
  opened.defer(() => store.close());
  const { taskMaxQueued: maxQueued, taskRetentionDays: retentionDays } = config;
  const { tasks, close } = await openTasks(store, { maxQueued, retentionDays, log, ...hooks });
  opened.defer(close);
  const data = await openWorld(config, log);
  opened.defer(() => data.close());
  return { store, tasks, data };
}
