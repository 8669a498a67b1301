import { WHY_PUBLIC } from '../config/settings.ts';
import { commandLog } from './parts/command-log.ts';
import { UsageError, type Command } from './command.ts';
import { untilStopped } from './parts/until-stopped.ts';

export const worker: Command = {
  args: [],
  options: {},
  examples: [
    'PUBLIC_URL=https://firstmile.example.org DATABASE_URL=postgres://db.internal/firstmile npx firstmile worker',
  ],
  async run({ config, err, signal }) {
    if (config.databaseUrl === null)
      throw new UsageError(
        'DATABASE_URL is not set: no other process can work on an embedded database, whose tasks run inside firstmile serve',
      );
    if (config.publicUrl === null) throw new UsageError(`PUBLIC_URL is not set: a worker wants it, ${WHY_PUBLIC}`);
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
