import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message that the server took responsibility for. */
export interface ReceivedMessage {
  readonly from: string;
  readonly to: readonly string[];
  readonly bytes: Buffer;
}

/** Where and how the server fails: at most one place, a reply code or what it does instead of a reply. */
export interface SmtpFaults {
  readonly connect?: number;
  readonly auth?: number;
  readonly mail?: number;
  readonly rcpt?: number;
  /** After the whole message came: a reply code, `drop` closes the connection, `hang` never answers. */
  readonly end?: number | 'drop' | 'hang';
  /** After the message was taken, before the answer. */
  readonly onEnd?: () => void;
  readonly maxBytes?: number;
  readonly noStartTls?: boolean;
}

export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  /** PEM of the certificate it shows for localhost. */
  readonly ca: string;
  /** What was taken, answered or not. */
  readonly received: readonly ReceivedMessage[];
  readonly connections: () => number;
  faults: SmtpFaults;
}

export const SMTP_USER = { user: 'sender', password: 'pass word/%40' };

/** A real SMTP server on localhost with STARTTLS or TLS and a login, whose faults may be changed while it runs. */
export async function startSmtpServer(
  faults: SmtpFaults = {},
  options: { readonly secure?: boolean; readonly hostname?: string; readonly port?: number } = {},
): Promise<TestSmtpServer> {
  const { private: key, cert } = await certificateFor(options.hostname ?? 'localhost');
  const received: ReceivedMessage[] = [];
  let connections = 0;
  const state = { faults };
  const server = new SMTPServer({
    secure: options.secure ?? false,
    key,
    cert,
    authOptional: true,
    disabledCommands: faults.noStartTls ? ['STARTTLS'] : [],
    ...(faults.maxBytes !== undefined && { size: faults.maxBytes }),
    onConnect: (_session, done) => {
      connections++;
      done(fault(state.faults.connect));
    },
    onAuth: ({ username, password }, _session, done) => {
      const wrong = username !== SMTP_USER.user || password !== SMTP_USER.password;
      const error = fault(state.faults.auth ?? (wrong ? 535 : undefined));
      if (error) done(error);
      else done(null, { user: username });
    },
    onMailFrom: (_address, _session, done) => done(fault(state.faults.mail)),
    onRcptTo: (_address, _session, done) => done(fault(state.faults.rcpt)),
    onData: async (stream, { envelope }, done) => {
      const bytes = await buffer(stream).catch(() => null);
      // The sender broke off: nothing was taken.
      if (bytes === null) return;
      const { end, onEnd } = state.faults;
      if (typeof end !== 'number') {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), bytes });
      }
      onEnd?.();
      if (end === 'hang') return;
      if (end === 'drop') return dropAll(server);
      done(fault(end));
    },
  } satisfies SMTPServerOptions);
  server.on('error', () => {});
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done));
  return {
    port: (server.server.address() as AddressInfo).port,
    ca: cert,
    received,
    connections: () => connections,
    get faults() {
      return state.faults;
    },
    set faults(value) {
      state.faults = value;
    },
    async [Symbol.asyncDispose]() {
      dropAll(server);
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/**
 * A server that says what it is told, line by line, to whatever it is sent: for replies no real server would give.
 * `waiting`: a client has been left without an answer.
 */
export async function startScriptedServer(
  reply: (command: string) => string | 'drop' | 'hang',
): Promise<{ port: number; waiting: () => boolean } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  let waiting = false;
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    let inData = false;
    let rest = '';
    const say = (command: string): void => {
      const answer = reply(command);
      if (answer === 'drop') socket.destroy();
      else if (answer === 'hang') waiting = true;
      else socket.write(`${answer}\r\n`);
      inData = command === 'DATA' && answer.startsWith('354');
    };
    say('CONNECT');
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (inData && line !== '.') continue;
        say(inData ? 'END' : (line.split(' ')[0] ?? '').toUpperCase());
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    waiting: () => waiting,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function fault(code: number | undefined): (Error & { responseCode: number }) | null {
  return code === undefined ? null : Object.assign(new Error(`told to fail with ${code}`), { responseCode: code });
}

function dropAll(server: SMTPServer): void {
  for (const connection of server.connections as Set<{ _socket: Socket }>) connection._socket.destroy();
}

async function certificateFor(hostname: string): Promise<{ private: string; cert: string }> {
  return generate([{ name: 'commonName', value: hostname }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: hostname }] }],
  });
}

/** For {@link startScriptedServer}: does all it is asked, but for what `faults` names by command. */
export function scriptWith(faults: Readonly<Record<string, 'hang'>>) {
  const replies: Readonly<Record<string, string>> = { CONNECT: '220 ready', DATA: '354 go on', QUIT: '221 bye' };
  return (command: string) => faults[command] ?? replies[command] ?? '250 ok';
}
