import { fork, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { testCertificate } from '../test/end-to-end/webhooks/webhooks-receiver.ts';

export interface Arrival {
  readonly id: string;
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly verified: boolean;
}

/** What the receivers saw since the last reset. */
export interface Arrivals {
  readonly arrivals: readonly Arrival[];
  readonly connections: number;
  /** Processor time of their process. */
  readonly cpuMs: number;
}

export interface ReceiverProcess {
  readonly child: ChildProcess;
  readonly port: number;
  reset(secrets: Readonly<Record<string, string>>): Promise<void>;
  report(): Promise<Arrivals>;
}

if (process.argv[2] === 'receiver') await receive();

/** Starts the receivers as a process of their own, so that what they verify is not the sender's work. */
export async function startReceiverProcess(): Promise<ReceiverProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['receiver']);
  const send = async (message: object): Promise<unknown> => {
    const answer = once(child, 'message');
    child.send(message);
    return (await answer)[0];
  };
  const [port] = (await once(child, 'message')) as [number];
  return {
    child,
    port,
    reset: async (secrets) => void (await send({ reset: secrets })),
    report: async () => (await send({ report: true })) as Arrivals,
  };
}

/** The process of the receivers: verifies every signature and keeps id and time. */
async function receive(): Promise<void> {
  let arrivals: Arrival[] = [];
  let connections = 0;
  let cpu = process.cpuUsage();
  let secrets: Readonly<Record<string, string>> = {};
  const server = createServer({ ...testCertificate('valid'), keepAliveTimeout: 60_000 });
  server.on('request', (request, response) => {
    const at = now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://x');
      if (pathname === '/hang') return;
      const id = String(request.headers['webhook-id'] ?? '');
      if (id !== '') {
        const [, t, v1] =
          /^t=(\d+), v1=([0-9a-f]{64})$/.exec(String(request.headers['x-service-webhook-signature'])) ?? [];
        const digest = createHmac('sha256', secrets[searchParams.get('u') ?? ''] ?? '').update(`${t}.`);
        for (const chunk of chunks) digest.update(chunk);
        arrivals.push({ id, at, verified: digest.digest('hex') === v1 });
      }
      response
        .writeHead(pathname === '/fail' ? 500 : 200, pathname === '/close' ? { connection: 'close' } : {})
        .end('ok');
    });
  });
  server.on('connection', (socket: Socket) => {
    connections++;
    socket.on('error', () => {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', 4_096, done));
  process.send?.((server.address() as AddressInfo).port);
  process.on('message', (message: { reset?: Record<string, string>; report?: true }) => {
    if (message.report === true) {
      const { user, system } = process.cpuUsage(cpu);
      return void process.send?.({ arrivals, connections, cpuMs: (user + system) / 1e3 });
    }
    secrets = message.reset ?? {};
    arrivals = [];
    connections = 0;
    cpu = process.cpuUsage();
    process.send?.('ready');
  });
  process.on('disconnect', () => process.exit(0));
}

/** Milliseconds since 1970, the same in every process. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
