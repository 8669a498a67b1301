import type { Config } from '../../config/settings.ts';
import { createLog, type Log } from '../../log.ts';
import type { CommandContext } from '../command.ts';

/** The log of a command that keeps running: for people on a terminal, JSON elsewhere, unless `LOG_FORMAT` decides. */
export function commandLog(config: Config, err: CommandContext['err']): Log {
  return createLog({ level: config.logLevel, json: isLogStructured(config, err), stream: err });
}

/** Whether what the process writes is collected by machines, where no secret may appear. */
export function isLogStructured({ logFormat }: Pick<Config, 'logFormat'>, err: CommandContext['err']): boolean {
  return logFormat === 'json' || (logFormat === 'auto' && err.isTTY !== true);
}
