import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, type Config } from './settings.ts';

/**
 * Makes the data folder when it is not there, readable by its owner alone, or throws a `ConfigError` that names the
 * setting. Level by level, because Node's own `recursive` never returns for a path inside `/proc`.
 */
export function prepareDataFolder({ dataDir }: Pick<Config, 'dataDir'>): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = 'failed' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`DATA_DIR: wanted a folder that can be made and written to, got "${dataDir}" (${code})`, {
      cause: error,
    });
  }
}

function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
