import { commandLog } from './command-log.ts';
import { UsageError, type Command } from './command.ts';
import { untilStopped } from './until-stopped.ts';

export const worker: Command = {
  name: 'worker',
  summary: 'Runs queued tasks in a process of its own; needs DATABASE_URL.',
  args: [],
  options: {},
  examples: ['DATABASE_URL=postgres://db.internal/firstmile npx firstmile worker'],
  async run({ config, err, signal }) {
    if (config.databaseUrl === null)
      throw new UsageError(
        'DATABASE_URL is not set: no other process can work on an embedded database, whose tasks run inside firstmile serve',
      );
    const log = commandLog(config, err);
    const { startWorker } = await import('../main.ts');
    const running = await startWorker(config, log);
    log.info({ concurrency: config.taskConcurrency }, 'worker is ready');
    await untilStopped(signal);
    log.info(`stopping: running tasks have ${config.shutdownTimeoutS} s to finish`);
    await running.close();
    return 0;
  },
};
