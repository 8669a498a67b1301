import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mail server on this machine that keeps what it is sent. */
export interface DemoMailbox extends AsyncDisposable {
  /** As `SMTP_URL` wants it. */
  readonly url: string;
  /** The bytes of the next email (RFC 5322); null when none comes before `signal` aborts. */
  next(signal: AbortSignal): Promise<Uint8Array | null>;
}

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-localhost\r\n250 8BITMIME',
  HELO: '250 localhost',
  MAIL: '250 OK',
  RCPT: '250 OK',
  RSET: '250 OK',
  NOOP: '250 OK',
  QUIT: '221 Bye',
};
const MAX_EMAIL_CHARACTERS = 64_000_000;

/** Starts a mail server that accepts everything and sends nothing on. */
export async function openDemoMailbox(): Promise<DemoMailbox> {
  const emails: Uint8Array[] = [];
  const waiting: ((email: Uint8Array | null) => void)[] = [];
  const sockets = new Set<Socket>();
  const take = (email: Uint8Array): void => {
    const first = waiting.shift();
    if (first === undefined) emails.push(email);
    else first(email);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    void converse(socket, take).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next(signal) {
      const kept = emails.shift();
      if (kept !== undefined) return Promise.resolve(kept);
      const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(null), { once: true });
      return promise;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** One SMTP session (RFC 5321), as far as a sender of our own needs it. */
async function converse(socket: Socket, take: (email: Uint8Array) => void): Promise<void> {
  socket.write('220 localhost Firstmile demo\r\n');
  let lines: string[] | null = null;
  let size = 0;
  // Bytes as they are: an email is not always UTF-8.
  for await (const line of createInterface({ input: socket.setEncoding('latin1'), crlfDelay: Infinity })) {
    if (lines !== null) {
      size += line.length;
      if (size > MAX_EMAIL_CHARACTERS) return void socket.end('552 Too large\r\n');
      if (line !== '.') {
        // A line that begins with a dot has another one before it (RFC 5321, 4.5.2).
        lines.push(line.startsWith('.') ? line.slice(1) : line);
        continue;
      }
      take(Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'));
      lines = null;
      socket.write('250 Kept\r\n');
      continue;
    }
    const word = line.slice(0, 4).toUpperCase();
    if (word === 'DATA') {
      [lines, size] = [[], 0];
      socket.write('354 Go on\r\n');
    } else socket.write(`${REPLIES[word] ?? '502 Not here'}\r\n`);
    if (word === 'QUIT') socket.end();
  }
}
