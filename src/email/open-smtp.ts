import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { ComposedMessage } from './compose-message.ts';
import type { EmailOutcome } from './email-queue.ts';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `start`: TLS from the first byte; `upgrade`: STARTTLS or nothing is sent; `off`: never. */
  readonly tls: 'start' | 'upgrade' | 'off';
  readonly user: string | null;
  readonly password: string | null;
  /** Certificates to trust in addition to the built-in ones, as PEM. */
  readonly ca?: string;
  /** Deadlines in milliseconds, shorter ones for tests. */
  readonly timeouts?: Partial<typeof TIMEOUTS_MS>;
}

export interface Smtp {
  /**
   * Sends one message. `beforeEnd` is awaited before the last bytes leave; when it answers false they do not, and the
   * outcome is `again`. Never throws.
   */
  send(message: ComposedMessage, beforeEnd: () => Promise<boolean>, signal: AbortSignal): Promise<SmtpOutcome>;
  close(): void;
}

const TIMEOUTS_MS = {
  /** From the start of the connection to its end, TLS included, and the same again to the greeting. */
  connect: 10_000,
  /** Silence of the server. */
  silence: 60_000,
  /** One whole attempt. */
  attempt: 90_000,
  /** How long a connection is kept for the next message. */
  idle: 5_000,
};
const MAX_REPLY_BYTES = 65_536;
/** Small enough that a message of more than one piece has not ended when its first piece was taken. */
const PIECE_BYTES = 65_536;

/** Opens connections when there is something to send and keeps them for the messages that follow at once. */
export function openSmtp(settings: SmtpSettings): Smtp {
  const timeouts = { ...TIMEOUTS_MS, ...settings.timeouts };
  const idle = new Map<SMTPConnection, NodeJS.Timeout>();

  async function connection(signal: AbortSignal): Promise<{ opened: SMTPConnection; reused: boolean }> {
    const [kept] = idle;
    if (kept !== undefined) {
      take(kept[0]);
      return { opened: kept[0], reused: true };
    }
    const opened = await connect(settings, timeouts, signal);
    opened.once('end', () => take(opened));
    return { opened, reused: false };
  }

  function keep(opened: SMTPConnection): void {
    const timer = setTimeout(() => {
      take(opened);
      opened.quit();
    }, timeouts.idle).unref();
    idle.set(opened, timer);
  }

  function take(opened: SMTPConnection): void {
    clearTimeout(idle.get(opened));
    idle.delete(opened);
  }

  async function send(
    message: ComposedMessage,
    beforeEnd: () => Promise<boolean>,
    stop: AbortSignal,
  ): Promise<SmtpOutcome> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeouts.attempt)]);
    const body = endWatched(message.bytes, beforeEnd);
    let used: { opened: SMTPConnection; reused: boolean } | null = null;
    try {
      used = await connection(signal);
      const reply = await transfer(used.opened, message, body.stream, signal);
      keep(used.opened);
      return { result: 'sent', detail: reply.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500), tooLarge: false };
    } catch (error) {
      used?.opened.close();
      const failure = error as SmtpFailure;
      // The server may have closed a kept connection in the meantime: nothing was sent, and a new one may do.
      if (used?.reused === true && !body.begun() && failure.responseCode === undefined && !signal.aborted) {
        return send(message, beforeEnd, stop);
      }
      return outcomeOf(failure, body.endMayHaveLeft());
    }
  }

  return {
    send,
    close() {
      for (const opened of idle.keys()) {
        take(opened);
        opened.quit();
      }
    },
  };
}

async function connect(
  settings: SmtpSettings,
  timeouts: typeof TIMEOUTS_MS,
  signal: AbortSignal,
): Promise<SMTPConnection> {
  const { host, port, tls, user, password, ca } = settings;
  const connection = new SMTPConnection({
    host,
    port,
    secure: tls === 'start',
    requireTLS: tls === 'upgrade',
    ignoreTLS: tls === 'off',
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    name: hostname(),
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    socketTimeout: timeouts.silence,
    maxResponseSize: MAX_REPLY_BYTES,
    logger: false,
  });
  // What happens between two steps is met by the next one; without a listener it would end the process.
  connection.on('error', () => {});
  try {
    await step(connection, signal, (done) => connection.connect(done));
    if (user !== null) {
      const credentials = { user, pass: password ?? '' };
      await step(connection, signal, (done) => connection.login({ credentials }, done));
    }
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function transfer(
  connection: SMTPConnection,
  { from, to, bytes }: ComposedMessage,
  stream: Readable,
  signal: AbortSignal,
): Promise<string> {
  const envelope = { from, to: [to], size: bytes.length };
  const info = await step<{ response: string }>(connection, signal, (done) => connection.send(envelope, stream, done));
  return info.response;
}

/** One step of a session as a promise: ends with the step's own answer, an error or the end of the connection, or the signal. */
function step<T>(
  connection: SMTPConnection,
  signal: AbortSignal,
  begin: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // Later: a reply that ends the session (421) closes the connection before it is handed over.
    const ended = (): void => void setImmediate(() => settle(new Error('the connection was closed')));
    const aborted = (): void => settle(signal.reason as Error);
    const settle = (error: Error | null | undefined, value?: T): void => {
      connection.off('error', settle).off('end', ended);
      signal.removeEventListener('abort', aborted);
      if (error) reject(error);
      else resolve(value as T);
    };
    connection.once('error', settle).once('end', ended);
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
    else begin(settle);
  });
}

/** The bytes as a stream that waits for a decision before it gives the last piece, and knows how far it was read. */
function endWatched(bytes: Buffer, beforeEnd: () => Promise<boolean>) {
  let begun = false;
  let endMayHaveLeft = false;
  async function* pieces(): AsyncGenerator<Buffer> {
    begun = true;
    const last = Math.max(0, Math.floor((bytes.length - 1) / PIECE_BYTES)) * PIECE_BYTES;
    for (let at = 0; at < last; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
    if (!(await beforeEnd())) throw new Error('the email is no longer this process to send');
    endMayHaveLeft = true;
    yield bytes.subarray(last);
  }
  return {
    stream: Readable.from(pieces(), { objectMode: false, highWaterMark: 1 }),
    begun: () => begun,
    endMayHaveLeft: () => endMayHaveLeft,
  };
}

/** What of a failure of nodemailer's SMTP connection decides its meaning. */
interface SmtpFailure extends Error {
  readonly code?: string;
  /** The command that was answered: `CONN`, `EHLO`, `STARTTLS`, `AUTH PLAIN`, `MAIL FROM`, `RCPT TO`, `DATA`, `API`. */
  readonly command?: string;
  /** The server's reply code, when there was a reply. */
  readonly responseCode?: number;
  readonly response?: string;
}

export type SmtpOutcome = EmailOutcome & {
  /** The server takes no message of this size. */
  readonly tooLarge: boolean;
};

/** Replies at commands before these concern the connection or the account, whatever the message: never final for it. */
const MESSAGE_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA'];
/** Replies that require TLS or a login (RFC 3207, RFC 4954): the operator's settings are wrong, not the message. */
const ACCOUNT_REPLIES = [530, 534, 535, 538];
const TOO_LARGE_REPLY = 552;

/**
 * What a failed attempt means. A reply of the server is certain. Without one everything depends on whether the end of
 * the message may have left: then the server may have taken it (RFC 1047), and only a person can decide to repeat it.
 */
function outcomeOf(error: SmtpFailure, endMayHaveLeft: boolean): SmtpOutcome {
  const detail = describe(error);
  const { responseCode: reply = 0, command = '' } = error;
  if (reply >= 400 && reply < 600) {
    const final = reply >= 500 && MESSAGE_COMMANDS.includes(command) && !ACCOUNT_REPLIES.includes(reply);
    return { result: final ? 'refused' : 'again', detail, tooLarge: final && reply === TOO_LARGE_REPLY };
  }
  if (endMayHaveLeft)
    return { result: 'unknown', detail: `${detail}, after the message was handed over`, tooLarge: false };
  const size = error.code === 'EMESSAGE' && command === 'MAIL FROM';
  const impossible = size || (error.code === 'EENVELOPE' && command === 'API');
  return { result: impossible ? 'refused' : 'again', detail, tooLarge: size };
}

const MAX_DETAIL = 500;

function describe({ command = '', response, message }: SmtpFailure): string {
  const where = command === '' || command === 'API' ? '' : `${command}: `;
  const text = (response ?? message).replaceAll(/[\p{Cc}]+/gu, ' ').toWellFormed();
  return `${where}${text}`.slice(0, MAX_DETAIL);
}
