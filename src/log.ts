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
  const format = options.json ? (line: string): string => line : readable;
  const destination =
    'fd' in stream ? gather(stream, format) : { write: (line: string) => void stream.write(format(line)) };
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

/** Lines that were not written yet, by the stream of a descriptor that they go to. */
const gathered = new Map<NodeJS.WritableStream, string>();

/**
 * Writes the lines of one turn of the event loop together: each write to a descriptor is a system call that the thread waits for.
 * From warnings on, and when the process exits, what is there is written at once.
 */
function gather(stream: NodeJS.WritableStream, format: (line: string) => string) {
  if (gathered.size === 0) process.on('exit', () => gathered.forEach((_, one) => flush(one)));
  if (!gathered.has(stream)) gathered.set(stream, '');
  return {
    // Makes pino say of which level a line is.
    [Symbol.for('pino.metadata')]: true as const,
    lastLevel: 0,
    write(line: string): void {
      const before = gathered.get(stream) ?? '';
      if (before === '') setImmediate(flush, stream);
      gathered.set(stream, before + format(line));
      if (this.lastLevel >= WARNING) flush(stream);
    },
  };
}

function flush(stream: NodeJS.WritableStream): void {
  const lines = gathered.get(stream) ?? '';
  gathered.set(stream, '');
  if (lines !== '') stream.write(lines);
}

const WARNING = 40;

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
