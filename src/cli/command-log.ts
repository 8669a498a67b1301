import type { Config } from '../config.ts';
import { createLog, type Log } from '../log.ts';
import type { CommandContext } from './command.ts';

/** The log of a command that keeps running: for people on a terminal, JSON elsewhere, unless `LOG_FORMAT` decides. */
export function commandLog(config: Config, err: CommandContext['err']): Log {
  const json = config.logFormat === 'json' || (config.logFormat === 'auto' && !err.isTTY);
  return createLog({ level: config.logLevel, json, stream: err });
}
