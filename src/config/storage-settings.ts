import { resolve } from 'node:path';
import {
  nonEmpty,
  objectStoreUrl,
  onOff,
  oneOf,
  optional,
  postgresUrl,
  serviceKey,
  setting,
  wholeNumber,
} from './parsers.ts';

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
  dataDirShared: setting(
    'DATA_DIR_SHARED',
    'off',
    onOff,
    '`on` says that every process on `DATABASE_URL` has the same `DATA_DIR`: they run on one machine, or it is a network disk. Needed without `OBJECT_STORE_URL` for packs, registries, models and label stores of your own.',
  ),
  acceptOtherSettings: setting(
    'ACCEPT_OTHER_SETTINGS',
    'off',
    onOff,
    '`on` starts although other processes on `DATABASE_URL` have another `CATALOGUE`, `SECRETS_KEY` or setting that answers depend on: to replace them one after the other. See docs/object-store.md.',
  ),
  objectStoreUrl: setting(
    'OBJECT_STORE_URL',
    '',
    optional(objectStoreUrl),
    'Bucket for files (uploads, results, packs, label stores, models), which every process then shares: `s3://bucket/prefix` at AWS, else the address of any server that speaks S3, as `https://host/bucket/prefix`. The service wants it together with `DATABASE_URL`. Empty: files lie in the database. See docs/object-store.md.',
  ),
  objectStoreStyle: setting(
    'OBJECT_STORE_STYLE',
    'auto',
    oneOf(['auto', 'path', 'host']),
    'Where the bucket is in `OBJECT_STORE_URL`: `path` for `https://host/bucket`, `host` for `https://bucket.host`. `auto`: `host` for names of AWS that begin with a bucket, else `path`.',
  ),
  objectStoreRegion: setting(
    'AWS_REGION',
    'us-east-1',
    nonEmpty,
    'Region that requests to `OBJECT_STORE_URL` are signed for; most servers that are not AWS take any.',
  ),
  objectStoreKeyId: setting('AWS_ACCESS_KEY_ID', '', optional(serviceKey), 'Key id for `OBJECT_STORE_URL`.'),
  objectStoreSecret: setting(
    'AWS_SECRET_ACCESS_KEY',
    '',
    optional(serviceKey),
    'Secret of `AWS_ACCESS_KEY_ID`.',
    'secret',
  ),
  objectStoreSession: setting(
    'AWS_SESSION_TOKEN',
    '',
    optional(serviceKey),
    'Session token that goes with temporary keys; they are not renewed while a process runs.',
    'secret',
  ),
  resultLinkMb: setting(
    'RESULT_LINK_MB',
    '0',
    wholeNumber(0, 1_000_000),
    'Results of tasks from this size on, in MB of 1,000,000 bytes, are not sent by the service: it redirects (303) to a signed address of the bucket, which works for 15 minutes and has to be one that clients reach. 0: never.',
  ),
};
