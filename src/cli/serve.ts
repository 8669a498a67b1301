import { flushCompileCache } from 'node:module';
import type { RunningService } from '../main.ts';
import { commandLog } from './command-log.ts';
import type { Command } from './command.ts';
import { untilStopped } from './until-stopped.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Starts the service: HTTP and the task runner.',
  args: [],
  options: {},
  examples: ['npm start', 'PORT=9000 DATABASE_URL=postgres://localhost/firstmile npx firstmile serve'],
  async run({ config, out, err, signal }) {
    const log = commandLog(config, err);
    // Not loaded before it is needed: `--help` and the other commands start faster without the server.
    const { startService } = await import('../main.ts');
    const service = await startService(config, log);
    out.write(banner(service));
    flushCompileCache();
    await untilStopped(signal);
    log.info(`stopping: running requests and tasks have ${config.shutdownTimeoutS} s to finish`);
    await service.close();
    return 0;
  },
};

/** What a person needs to begin with; the token only where this start made one. */
function banner(service: RunningService): string {
  const token = service.firstToken ?? '$TOKEN';
  const query = new URLSearchParams({
    geometry: 'POINT(103.1747 3.0772)',
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
    '  Validate a palm oil mill:',
    '',
    `  curl -s -H "Authorization: Bearer ${token}" '${service.url}/validate_facility?${query.toString()}'`,
    '',
  ];
  const hint =
    service.firstToken === null
      ? ['  $TOKEN stands for one of your tokens; npx firstmile token create makes one.', '']
      : [];
  return `${[...lines, ...hint].join('\n')}\n`;
}
