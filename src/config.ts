import { resolve } from 'node:path';

/** What a rate limit allows one principal; `null` switches it off. */
export type RateLimit = { readonly perMinute: number; readonly perHour: number } | null;

interface Setting<T> {
  readonly env: string;
  /** The text the setting has when it is absent from the environment. */
  readonly fallback: string;
  /** Returns the value, or throws an `Error` whose message says what was wanted. */
  readonly parse: (text: string) => T;
  readonly doc: string;
  readonly secret?: true;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting of the service, in the order of `docs/configuration.md`, which is generated from this table. */
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
    'Address clients reach the service at, without a trailing slash. Empty: taken from host and port.',
  ),
  dataDir: setting(
    'DATA_DIR',
    './data',
    (text) => resolve(nonEmpty(text)),
    'Folder for the embedded database, packed datasets, caches and uploads in flight.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    optional(postgresUrl),
    'PostgreSQL to use in place of the embedded database, as `postgres://user:password@host:port/name`.',
    'secret',
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    '10',
    wholeNumber(2, 100),
    'Most connections one process opens to `DATABASE_URL`.',
  ),
  bootstrapToken: setting(
    'FIRSTMILE_TOKEN',
    '',
    optional(bootstrapToken),
    'A bearer token for automation, accepted with every scope beside those in the database. 32 characters or more.',
    'secret',
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
    '`json` writes one object a line, `text` is for people; `auto` picks text on a terminal.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    'off',
    onOff,
    '`on` takes the client address from `X-Forwarded-For`; only behind a proxy that sets it.',
  ),
  maxUploadMb: setting(
    'MAX_UPLOAD_MB',
    '512',
    wholeNumber(1, 16_384),
    'Largest file one request may upload, in MB of 1,000,000 bytes.',
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
    'Tasks one process works on at the same time, each in a worker thread.',
  ),
  taskMaxQueued: setting(
    'TASK_MAX_QUEUED',
    '10000',
    wholeNumber(1, 10_000_000),
    'Unfinished tasks the service accepts before it answers 503.',
  ),
  taskMaxRuntimeS: setting(
    'TASK_MAX_RUNTIME_S',
    '14400',
    wholeNumber(10, 604_800),
    'Seconds a task may run before it is failed.',
  ),
  taskRetentionDays: setting(
    'TASK_RETENTION_DAYS',
    '7',
    wholeNumber(1, 3_650),
    'Days the results of a finished task are kept.',
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
    'Public key of the outside issuer as PEM (SPKI), in place of a JWKS address; `\\n` stands for a line break.',
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
    'JSON file with datasets beside the built-in ones.',
  ),
  cacheMaxMb: setting(
    'CACHE_MAX_MB',
    '2000',
    wholeNumber(0, 10_000_000),
    'Room the disk cache of remote data may take, in MB of 1,000,000 bytes; 0 switches it off.',
  ),
  shutdownTimeoutS: setting(
    'SHUTDOWN_TIMEOUT_S',
    '20',
    wholeNumber(1, 600),
    'Seconds running requests and tasks get to finish after SIGTERM.',
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
  if (faults.length === 0) faults.push(...conflicts(values as unknown as Config));
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(values) as unknown as Config;
}

function conflicts(config: Config): string[] {
  const faults: string[] = [];
  const keySources = [config.jwtJwksUrl, config.jwtPublicKey].filter((value) => value !== null).length;
  const jwtParts = [config.jwtIssuer, config.jwtAudience].filter((value) => value !== null).length + keySources;
  if (jwtParts > 0 && (config.jwtIssuer === null || config.jwtAudience === null || keySources !== 1))
    faults.push('JWT_ISSUER: wanted together with JWT_AUDIENCE and exactly one of JWT_JWKS_URL and JWT_PUBLIC_KEY');
  if (!config.runTasks && config.databaseUrl === null)
    faults.push('RUN_TASKS: off needs DATABASE_URL, because no other process can work on an embedded database');
  return faults;
}

function setting<T>(
  env: string,
  fallback: string,
  parse: (text: string) => T,
  doc: string,
  secret?: 'secret',
): Setting<T> {
  return secret ? { env, fallback, parse, doc, secret: true } : { env, fallback, parse, doc };
}

function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`wanted a whole number from ${min} to ${max}`);
    return value;
  };
}

function nonEmpty(text: string): string {
  if (text === '') throw new Error('wanted a text that is not empty');
  return text;
}

function optional<T>(parse: (text: string) => T) {
  return (text: string): T | null => (text === '' ? null : parse(text));
}

function oneOf<const T extends string>(choices: readonly T[]) {
  return (text: string): T => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Error(`wanted one of ${choices.join(', ')}`);
    return choice;
  };
}

function onOff(text: string): boolean {
  return oneOf(['on', 'off'])(text) === 'on';
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new Error('wanted an http or https address');
  return text.replace(/\/+$/, '');
}

function postgresUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw new Error('wanted an address such as postgres://user:password@host:5432/name');
  return text;
}

function pemPublicKey(text: string): string {
  const pem = text.replaceAll(String.raw`\n`, '\n');
  if (!pem.includes('-----BEGIN PUBLIC KEY-----'))
    throw new Error('wanted a PEM public key that begins with -----BEGIN PUBLIC KEY-----');
  return pem;
}

function bootstrapToken(text: string): string {
  if (text.length < 32 || /\s/.test(text)) throw new Error('wanted 32 or more characters without white space');
  return text;
}

function commaList(minLength: number) {
  return (text: string): readonly string[] => {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.some((item) => item.length < minLength))
      throw new Error(`wanted keys of ${minLength} or more characters`);
    return items;
  };
}

function rateLimit(text: string): RateLimit {
  if (text === 'off') return null;
  const match = /^(\d+)\/min,\s*(\d+)\/h$/.exec(text);
  if (match === null || Number(match[1]) < 1 || Number(match[2]) < 1)
    throw new Error('wanted `off` or limits such as 100/min,1000/h');
  return { perMinute: Number(match[1]), perHour: Number(match[2]) };
}
