import { resolve } from 'node:path';
import { CONSOLE_SETTINGS } from './console-settings.ts';
import { GEOCODER_SETTINGS } from './geocoder-settings.ts';
import { DATA_SETTINGS } from './data-settings.ts';
import { LIVE_SETTINGS } from './live-settings.ts';
import { ARRAY_SETTINGS } from './array-settings.ts';
import { bucketPlace } from './bucket-place.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';
import { TRACING_SETTINGS } from './tracing-settings.ts';
import { TRACES_SETTINGS } from './traces-settings.ts';
import { readSealingKeys } from '../webhooks/key-ring.ts';
import {
  bootstrapToken,
  commaList,
  httpUrl,
  mailbox,
  nonEmpty,
  oneOf,
  onOff,
  optional,
  originList,
  pemPublicKey,
  rateLimit,
  setting,
  smtpUrl,
  furtherThreads,
  threadCount,
  wholeNumber,
  type Setting,
} from './parsers.ts';
import { HOUR_MS } from '../durations.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting of the service, from which `docs/configuration.md` is generated. */
export const SETTINGS = {
  port: setting('PORT', '8080', wholeNumber(0, 65_535), 'TCP port to listen on; 0 takes a free one.'),
  host: setting(
    'HOST',
    '127.0.0.1',
    nonEmpty,
    'Address to listen on. `0.0.0.0` accepts connections from other machines.',
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    optional(httpUrl),
    'Address clients reach the service at, without a trailing slash; it is used in events and emails. Required with `NODE_ENV=production`, with `RUN_TASKS=off` and by `firstmile worker`. Empty otherwise: taken from host and port.',
  ),
  ...STORAGE_SETTINGS,
  bootstrapToken: setting(
    'FIRSTMILE_TOKEN',
    '',
    optional(bootstrapToken),
    'A bearer token for automation, accepted with every scope in addition to those in the database; what it makes belongs to the user `bootstrap`. 32 characters or more.',
    'secret',
  ),
  serviceUrl: setting(
    'FIRSTMILE_URL',
    '',
    optional(httpUrl),
    'Address of a running service that `firstmile mcp` works through, with `FIRSTMILE_TOKEN` as its token. Empty: the service on `DATA_DIR`.',
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    '100/min,1000/h',
    rateLimit,
    'Requests a principal may make, as `100/min,1000/h`; `off` removes the limit. The internal key is never limited.',
  ),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(LOG_LEVELS), `One of ${LOG_LEVELS.join(', ')}.`),
  logFormat: setting(
    'LOG_FORMAT',
    'auto',
    oneOf(['auto', 'json', 'text']),
    '`json` writes one object per line, `text` is for people; `auto` picks text on a terminal.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    'off',
    onOff,
    '`on` takes the client address from `X-Forwarded-For`; only behind a proxy that sets it.',
  ),
  corsOrigins: setting('CORS_ORIGINS', '', originList, 'Origins whose pages may call the service, comma-separated.'),
  maxUploadMb: setting(
    'MAX_UPLOAD_MB',
    '512',
    wholeNumber(1, 16_384),
    'Largest file one request may upload, in MB of 1,000,000 bytes.',
  ),
  maxCollectionMb: setting(
    'MAX_COLLECTION_MB',
    '1000',
    wholeNumber(1, 16_384),
    'Largest file of a collection, in MB of 1,000,000 bytes; it is kept in the database.',
  ),
  maxFeatures: setting('MAX_FEATURES', '1000000', wholeNumber(1, 100_000_000), 'Most features one upload may hold.'),
  checkTimeoutMs: setting(
    'CHECK_TIMEOUT_MS',
    '10000',
    wholeNumber(50, 120_000),
    'Deadline of each check of a facility, in milliseconds; a check that misses it is `unknown`.',
  ),
  facilitiesInFlight: setting(
    'FACILITIES_IN_FLIGHT',
    '32',
    wholeNumber(1, 1_024),
    'Facilities of one batch that are checked at the same time.',
  ),
  fileThreads: setting(
    'FILE_THREADS',
    '2',
    wholeNumber(1, 64),
    'Uploaded files that are read and answered at the same time, each in a worker thread; one more for a user who has none at work. They start when they are needed.',
  ),
  fileHelpers: setting(
    'FILE_HELPERS',
    'auto',
    furtherThreads,
    'Further threads that rate the facilities of large files and normalise the rows of large tables of text, 0 to 64; files at work share them. `auto` is one for each processor but the first, and at most 7.',
  ),
  fileMemoryMb: setting(
    'FILE_MEMORY_MB',
    '512',
    wholeNumber(64, 1_000_000),
    'Memory in which an uploaded file is read, in MB of 1,000,000 bytes; a file that needs more is refused with 413.',
  ),
  runTasks: setting(
    'RUN_TASKS',
    'on',
    onOff,
    '`off` leaves queued tasks to `firstmile worker` processes; only with `DATABASE_URL`.',
  ),
  taskConcurrency: setting(
    'TASK_CONCURRENCY',
    '2',
    wholeNumber(1, 64),
    'Tasks one process works on at the same time, each in a worker thread; one more for a user who has none at work, and another one for a task of such a user with at most 1 MB or 1,000 locations.',
  ),
  taskMaxQueued: setting(
    'TASK_MAX_QUEUED',
    '10000',
    wholeNumber(1, 10_000_000),
    'Unfinished tasks the service accepts before it answers 503.',
  ),
  tasksPerUser: setting(
    'TASKS_PER_USER',
    '1000',
    wholeNumber(1, 10_000_000),
    'Unfinished tasks of one user before more are refused with 429.',
  ),
  storedMbPerUser: setting(
    'STORED_MB_PER_USER',
    '50000',
    wholeNumber(1, 1_000_000_000),
    'What one user may store, files, results and tasks together, in MB of 1,000,000 bytes; more is refused with 413.',
  ),
  uploadsPerUser: setting(
    'UPLOADS_PER_USER',
    '16',
    wholeNumber(1, 10_000),
    'Uploads of one user that arrive or are answered at the same time, in one process, before more are refused with 429.',
  ),
  taskMaxRuntimeS: setting(
    'TASK_MAX_RUNTIME_S',
    '14400',
    wholeNumber(10, 604_800),
    'Seconds a task may run before it fails.',
  ),
  taskRetentionDays: setting(
    'TASK_RETENTION_DAYS',
    '7',
    wholeNumber(1, 3_650),
    'Days the results of a finished task are kept.',
  ),
  watchEveryS: setting(
    'WATCH_EVERY_S',
    '600',
    wholeNumber(1, 604_800),
    'Seconds between two looks whether data of watched collections has changed.',
  ),
  jwtIssuer: setting(
    'JWT_ISSUER',
    '',
    optional(nonEmpty),
    'Required `iss` of JWTs of an outside issuer. Set together with an audience and one source of keys.',
  ),
  jwtAudience: setting('JWT_AUDIENCE', '', optional(nonEmpty), 'Required `aud` of JWTs of an outside issuer.'),
  jwtJwksUrl: setting(
    'JWT_JWKS_URL',
    '',
    optional(httpUrl),
    'Where the key set (JWKS) of the outside issuer is read from.',
  ),
  jwtPublicKey: setting(
    'JWT_PUBLIC_KEY',
    '',
    optional(pemPublicKey),
    'Public key of the outside issuer as PEM (SPKI), instead of a JWKS address; `\\n` stands for a line break.',
  ),
  internalApiKeys: setting(
    'INTERNAL_API_KEY',
    '',
    commaList(32),
    'Keys accepted in `x-internal-api-key`, separated by commas so that they can be rotated. 32 characters or more each.',
    'secret',
  ),
  catalogue: setting(
    'CATALOGUE',
    '',
    optional((text) => resolve(text)),
    'JSON file with datasets in addition to the built-in ones. A change of it is seen at the next request or task.',
  ),
  production: setting(
    'NODE_ENV',
    '',
    (text) => text === 'production',
    '`production` refuses switches that are for development alone.',
  ),
  secretsKey: setting(
    'SECRETS_KEY',
    '',
    optional(readSealingKeys),
    'Keys that webhook secrets and credentials for the EU information system are sealed with, as `id:base64` of 32 bytes each, separated by commas: the first seals, all of them open. Empty with the embedded database: a key file in the data folder.',
    'secret',
  ),
  webhookAllowLocal: setting(
    'WEBHOOK_ALLOW_LOCAL',
    'off',
    onOff,
    '`on` lets webhooks be plain http and on this machine, for development and emulators; refused with `NODE_ENV=production`.',
  ),
  webhookRetentionDays: setting(
    'WEBHOOK_RETENTION_DAYS',
    '30',
    wholeNumber(1, 3_650),
    'Days finished webhook deliveries are kept with the log of their attempts.',
  ),
  webhookCaFile: setting(
    'WEBHOOK_CA_FILE',
    '',
    optional((text) => resolve(text)),
    'PEM file with the certificate authorities that receivers of webhooks are verified by, instead of the usual ones.',
  ),
  ...DATA_SETTINGS,
  cacheMaxMb: setting(
    'CACHE_MAX_MB',
    '2000',
    wholeNumber(0, 10_000_000),
    'Room the disk cache of remote data may take, in MB of 1,000,000 bytes; 0 switches it off.',
  ),
  packMemoryMb: setting(
    'PACK_MEMORY_MB',
    '2000',
    wholeNumber(0, 10_000_000),
    'Memory that regional packs may take, in MB of 1,000,000 bytes, but not more than half of what the machine has free; layers that do not fit are read from disk. 0 reads all of them from disk.',
  ),
  ...LIVE_SETTINGS,
  ...GEOCODER_SETTINGS,
  forestThreads: setting(
    'FOREST_THREADS',
    'auto',
    threadCount,
    'Worker threads that look up forest patches at the same time, 1 to 64; `auto` leaves one processor to the rest of the service. They start when they are needed.',
  ),
  forestMemoryMb: setting(
    'FOREST_MEMORY_MB',
    '512',
    wholeNumber(64, 1_000_000),
    'Decoded embeddings that forest lookups hold in memory, and what they computed of their cells, all threads of a process together, in MB of 1,000,000 bytes; a thread gets at least 100.',
  ),
  forestMaxQueued: setting(
    'FOREST_MAX_QUEUED',
    '5000',
    wholeNumber(100, 1_000_000),
    'Forest lookups that may wait, over all requests, before new ones get 503.',
  ),
  forestPointTimeoutMs: setting(
    'FOREST_POINT_TIMEOUT_MS',
    '30000',
    wholeNumber(50, 600_000),
    'Deadline of the forest lookup of one point, in milliseconds; a point that misses it is `source_unavailable`.',
  ),
  forestBatchTimeoutMs: setting(
    'FOREST_BATCH_TIMEOUT_MS',
    '120000',
    wholeNumber(50, HOUR_MS),
    'Deadline of a forest lookup request that is answered at once, in milliseconds; points without an answer by then are `source_unavailable`.',
  ),
  parcelTimeoutMs: setting(
    'PARCEL_TIMEOUT_MS',
    '10000',
    wholeNumber(50, 600_000),
    'Deadline of the parcel search of one point, in milliseconds; a point that misses it is `source_unavailable`.',
  ),
  smtpUrl: setting(
    'SMTP_URL',
    '',
    optional(smtpUrl),
    'Mail server, as `smtp://user:password@host:587` (STARTTLS is required) or `smtps://user:password@host:465` (TLS from the start). Empty: emails wait in the outbox.',
    'secret',
  ),
  smtpTls: setting(
    'SMTP_TLS',
    'on',
    onOff,
    '`off` sends over `smtp://` without TLS, for a relay on this machine; refused with a password.',
  ),
  emailFrom: setting(
    'EMAIL_FROM',
    '',
    optional(mailbox),
    'Sender of emails, as `Firstmile <firstmile@example.org>`; its host is part of every Message-ID. Needed with `SMTP_URL`.',
  ),
  ...CONSOLE_SETTINGS,
  ...TRACES_SETTINGS,
  ...ARRAY_SETTINGS,
  ...TRACING_SETTINGS,
  auditRetentionDays: setting(
    'AUDIT_RETENTION_DAYS',
    '1825',
    wholeNumber(1, 36_500),
    'Days the log of administrative acts is kept; the regulation requires five years for the statements it supports.',
  ),
  shutdownDelayS: setting(
    'SHUTDOWN_DELAY_S',
    '0',
    wholeNumber(0, 600),
    'Seconds after SIGTERM in which `/readyz` answers 503 and everything else is still answered, before the socket closes: longer than a load balancer takes to see it. 0 where there is none.',
  ),
  shutdownTimeoutS: setting(
    'SHUTDOWN_TIMEOUT_S',
    '20',
    wholeNumber(1, 600),
    'Seconds running requests and tasks get to finish after SIGTERM, and after `SHUTDOWN_DELAY_S`.',
  ),
} satisfies Record<string, Setting<unknown>>;

export type Config = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

/** A setting that cannot be used; the message names it, what was wanted and what came (never a secret). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads every setting from `env`, or throws one `ConfigError` that lists everything wrong. Only `main` passes `process.env`. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const text = env[entry.env]?.trim() ?? entry.fallback;
    try {
      values[key] = entry.parse(text);
    } catch (error) {
      faults.push(`${entry.env}: ${(error as Error).message}${entry.secret ? '' : `, got ${JSON.stringify(text)}`}`);
    }
  }
  if (faults.length === 0) faults.push(...conflicts(values as Config));
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(values) as Config;
}

/** Why a listening socket is no substitute, as the end of a sentence. */
export const WHY_PUBLIC = 'because events and emails carry the address that clients reach the service at';

function conflicts(config: Config): string[] {
  const faults: string[] = [];
  const keySources = [config.jwtJwksUrl, config.jwtPublicKey].filter((value) => value !== null).length;
  const jwtParts = [config.jwtIssuer, config.jwtAudience].filter((value) => value !== null).length + keySources;
  if (jwtParts > 0 && (config.jwtIssuer === null || config.jwtAudience === null || keySources !== 1))
    faults.push('JWT_ISSUER: wanted together with JWT_AUDIENCE and exactly one of JWT_JWKS_URL and JWT_PUBLIC_KEY');
  if (config.webhookAllowLocal && config.production)
    faults.push('WEBHOOK_ALLOW_LOCAL: on is for development; it is refused together with NODE_ENV=production');
  if (config.tracesTestUrl !== null && (config.production || config.tracesProduction))
    faults.push(
      'TRACES_TEST_URL: it is for development; it is refused together with NODE_ENV=production and TRACES_PRODUCTION=on',
    );
  if (config.publicUrl === null && config.production)
    faults.push(`PUBLIC_URL: wanted with NODE_ENV=production, ${WHY_PUBLIC}`);
  else if (config.publicUrl === null && !config.runTasks)
    faults.push(`PUBLIC_URL: wanted with RUN_TASKS=off, ${WHY_PUBLIC}`);
  if (!config.runTasks && config.databaseUrl === null)
    faults.push('RUN_TASKS: off needs DATABASE_URL, because no other process can work on an embedded database');
  if (config.objectStoreUrl !== null && (config.objectStoreKeyId === null || config.objectStoreSecret === null))
    faults.push('OBJECT_STORE_URL: wanted together with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  if (config.objectStoreUrl !== null && bucketPlace(config) === null)
    faults.push('OBJECT_STORE_URL: wanted the name of a bucket after the host, as https://host/bucket');
  const needsUrl = ['openai-compatible', 'azure'].includes(config.languageModel?.provider ?? '');
  if (needsUrl && config.languageModelUrl === null)
    faults.push(`LANGUAGE_MODEL_URL: wanted together with LANGUAGE_MODEL=${config.languageModel?.provider}:...`);
  if (config.smtpUrl !== null && config.emailFrom === null) faults.push('EMAIL_FROM: wanted together with SMTP_URL');
  if (!config.smtpTls && config.smtpUrl !== null && (/^smtps:/i.test(config.smtpUrl) || config.smtpUrl.includes('@')))
    faults.push('SMTP_TLS: off is for smtp:// without user and password, which would cross the network in the clear');
  return faults;
}
