import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

export type CertificateName = 'valid' | 'expired' | 'future' | 'other-name' | 'untrusted' | 'self-signed';

const CERTIFICATES = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../oracles/certificates/certificates.json'), 'utf8'),
) as { readonly authority: string } & Readonly<Record<CertificateName, ServerCertificate>>;

/** The authority that the good certificates are from, as PEM. */
export const TEST_AUTHORITY = CERTIFICATES.authority;

export function testCertificate(name: CertificateName): ServerCertificate {
  return CERTIFICATES[name];
}

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** `performance.now()` when the request was complete. */
  readonly at: number;
}

/** Answers one request; `count` is 1 for the first. */
export type Behaviour = (
  request: ReceivedWebhook,
  response: ServerResponse<IncomingMessage>,
  count: number,
) => void | Promise<void>;

export interface Receiver extends AsyncDisposable {
  /** `https://NAME.receivers.test:PORT/hook`. */
  readonly url: (name?: string) => string;
  readonly port: number;
  readonly received: readonly ReceivedWebhook[];
  /** Connections ever made. */
  readonly connections: () => number;
  /** Replaces what later requests meet. */
  behave(behaviour: Behaviour): void;
  /** Resolves when `count` requests have come in all, or throws after `ms`. */
  until(count: number, ms?: number): Promise<readonly ReceivedWebhook[]>;
}

/** Answers 200 at once. */
export const accept: Behaviour = (_request, response) => void response.writeHead(200).end('thanks');

/** Answers the given statuses in turn, the last one from then on. */
export function answers(...statuses: readonly number[]): Behaviour {
  return (_request, response, count) => {
    response.writeHead(statuses[Math.min(count, statuses.length) - 1] ?? 200).end();
  };
}

/** A real HTTPS server on this machine that keeps what it received. */
export async function startReceiver(
  behaviour: Behaviour = accept,
  certificate: CertificateName = 'valid',
  tls: Readonly<Record<string, unknown>> = {},
): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let act = behaviour;
  let connections = 0;
  let requests = 0;
  const server: Server = createServer({ ...testCertificate(certificate), keepAliveTimeout: 60_000, ...tls });
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const webhook: ReceivedWebhook = {
        path: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks).toString('latin1'),
        at: performance.now(),
      };
      received.push(webhook);
      for (const wake of waiting) wake();
      void act(webhook, response, ++requests);
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (name = 'a') => `https://${name}.receivers.test:${port}/hook`,
    received,
    connections: () => connections,
    behave: (next) => void (act = next),
    until: (count, ms = 60_000) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (received.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received);
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`wanted ${count} requests within ${ms} ms, got ${received.length}`));
        }, ms);
        waiting.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
