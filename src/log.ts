import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Paths whose values never reach a log line, whatever object is logged. */
const SECRETS = [
  'authorization',
  'password',
  'token',
  'access_token',
  'client_secret',
  'req.headers.authorization',
  'req.headers["x-internal-api-key"]',
  'req.headers.cookie',
  '*.password',
  '*.token',
  '*.authorization',
];

interface LogOptions {
  readonly level: string;
  /** True writes one JSON object a line, false a line for people. */
  readonly json: boolean;
  readonly stream?: NodeJS.WritableStream;
}

/** A structured logger: JSON for machines or one readable line for people, secrets removed in both. */
export function createLog(options: LogOptions): Log {
  const stream = options.stream ?? process.stderr;
  const destination = options.json ? stream : { write: (line: string) => void stream.write(readable(line)) };
  return pino(
    {
      level: options.level,
      base: null,
      redact: { paths: SECRETS, censor: '[removed]' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
}

const LEVEL_NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

function readable(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  return `${String(time).slice(11, 19)} ${(LEVEL_NAMES[level as number] ?? '').padEnd(5)} ${[String(msg ?? ''), ...fields].join(' ')}${stack ? `\n${stack}` : ''}\n`;
}
