import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { examineTables } from '../../db/examine-tables.ts';
import { connectControl, controlPath } from '../control.ts';
import { fault, notice, ok, type Finding } from './finding.ts';

/** The database of the settings, as far as it can be seen without changing it. */
export function examineDatabase(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Finding> {
  return config.databaseUrl === null ? examineEmbedded(config.dataDir) : examineServer(config.databaseUrl);
}

async function examineEmbedded(dataDir: string): Promise<Finding> {
  const lookedAt = `embedded database in ${dataDir}`;
  try {
    if ((await connectControl(controlPath(dataDir))) !== null)
      return ok('database', lookedAt, `open in a running service${await ownerOf(dataDir)}`);
  } catch (error) {
    return fault('database', lookedAt, (error as Error).message, 'choose a shorter DATA_DIR');
  }
  if (!existsSync(join(dataDir, 'database/PG_VERSION')))
    return ok('database', lookedAt, 'none yet; the first start makes it');
  return notice(
    'database',
    lookedAt,
    'there, and not opened: its pages were not looked at',
    'nothing; a start checks it, and says so where it is damaged',
  );
}

async function ownerOf(dataDir: string): Promise<string> {
  const pid = await readFile(join(dataDir, 'database.owner'), 'utf8').catch(() => null);
  return pid === null ? '' : ` (process ${pid})`;
}

async function examineServer(url: string): Promise<Finding> {
  const lookedAt = 'PostgreSQL of DATABASE_URL';
  try {
    const { server, version, newest } = await examineTables(url);
    if (version > newest)
      return fault(
        'database',
        lookedAt,
        `${server}; its tables are at version ${version}, and this release knows ${newest}`,
        'start the release that made them, or a later one',
      );
    const tables =
      version === 0
        ? 'no tables yet; the first start makes them'
        : version < newest
          ? `tables at version ${version}; a start brings them to ${newest}`
          : `tables at version ${version}`;
    return ok('database', lookedAt, `${server}; ${tables}`);
  } catch (error) {
    return fault(
      'database',
      lookedAt,
      (error as Error).message,
      'check address, user and password in DATABASE_URL, and that the server accepts connections from here',
    );
  }
}
