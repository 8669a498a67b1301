import { flushCompileCache } from 'node:module';
import { type Config, WHY_PUBLIC } from '../config/settings.ts';
import type { RunningService } from '../main.ts';
import { commandLog, isLogStructured } from './parts/command-log.ts';
import { type Command, UsageError } from './command.ts';
import { untilStopped } from './parts/until-stopped.ts';

export const serve: Command = {
  args: [],
  options: {},
  examples: ['npm start', 'PORT=9000 DATABASE_URL=postgres://localhost/firstmile npx firstmile serve'],
  async run({ config, out, err, signal }) {
    const log = commandLog(config, err);
    // Not loaded before it is needed: `--help` and the other commands start faster without the server.
    const { startService } = await import('../main.ts');
    const makeToken = !isLogStructured(config, err);
    const service = await startService(config, log, { makeToken });
    out.write(banner(service, config.sampleDistrict));
    flushCompileCache();
    await untilStopped(signal);
    log.info(`stopping: running requests and tasks have ${config.shutdownTimeoutS} s to finish`);
    await service.close();
    return 0;
  },
};

/** Answers with palm, roads, buildings, businesses, water, a port and a producer before any data is imported. */
const SAMPLE_MILL = {
  title: 'Validate the palm oil mill of the sample district, which is made up',
  place: { geometry: 'POINT(102.6124 4.5821)', facility_name: 'Kilang Sawit Contoh' },
} as const;
const REAL_MILL = {
  title: 'Validate a palm oil mill',
  place: { geometry: 'POINT(103.1747 3.0772)' },
} as const;

/** What a person needs to begin with; the token only where this start made one. */
function banner(service: RunningService, sampleDistrict: Config['sampleDistrict']): string {
  const token = service.firstToken ?? '$TOKEN';
  const { title, place } = sampleDistrict ? SAMPLE_MILL : REAL_MILL;
  const query = new URLSearchParams({
    ...place,
    commodity_type: 'palm',
    check_water_access: 'true',
    check_port_proximity: 'true',
  });
  const lines = [
    '',
    `  Firstmile ${service.version} on ${service.engine}`,
    `  Address:  ${service.url}`,
    `  Docs:     ${service.url}/docs`,
    ...(service.firstToken === null ? [] : [`  Token:    ${service.firstToken}   (dev@localhost; shown only now)`]),
    '',
    `  ${title}:`,
    '',
    `  curl -s -H "Authorization: Bearer ${token}" '${service.url}/validate_facility?${query.toString()}'`,
    '',
  ];
  const why = service.isFirstStart ? ' None is printed where output is kept as a structured log.' : '';
  const hint =
    service.firstToken === null
      ? [`  $TOKEN stands for one of your tokens; npx firstmile token create makes one.${why}`, '']
      : [];
  return `${[...lines, ...hint].join('\n')}\n`;
}

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
