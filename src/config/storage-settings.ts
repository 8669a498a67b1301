import { resolve } from 'node:path';
import { nonEmpty, onOff, optional, postgresUrl, setting, wholeNumber } from './parsers.ts';

/** The settings of what is kept, and where. */
export const STORAGE_SETTINGS = {
  dataDir: setting(
    'DATA_DIR',
    './data',
    (text) => resolve(nonEmpty(text)),
    'Folder for the embedded database, packed datasets, caches and uploads in flight. With the embedded database its path has at most 94 bytes (90 on macOS), because of the socket in it.',
  ),
  acceptDamagedDatabase: setting(
    'ACCEPT_DAMAGED_DATABASE',
    'off',
    onOff,
    '`on` starts although the embedded database was found damaged, with whatever can be read. For one start, after you have looked at the disk and at backups.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    optional(postgresUrl),
    'PostgreSQL to use instead of the embedded database, as `postgres://user:password@host:port/name`.',
    'secret',
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    '10',
    wholeNumber(2, 100),
    'Most connections one process opens to `DATABASE_URL`.',
  ),
};
