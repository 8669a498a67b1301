import { once } from 'node:events';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The server comes without types. */
interface S3Server {
  run(): Promise<AddressInfo>;
  readonly httpServer: Server;
}
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;

/** What happens to a request in place of what should. */
export type BucketFault =
  /** An answer with this status, and a document with this code. */
  | { readonly status: number; readonly code: string }
  /** The connection ends before anything is done. */
  | 'drop'
  /** It is done, and the connection ends before the answer. */
  | 'lose answer'
  /** No answer comes. */
  | 'hang'
  /** The answer ends in the middle of its body. */
  | 'truncate';

export interface TestBucket extends AsyncDisposable {
  /** As `OBJECT_STORE_URL`. */
  readonly url: string;
  /** The settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request that came, as `PUT /bucket/key?query`. */
  readonly seen: string[];
  /** Called with each request; null lets it through, a promise once it is kept. */
  fault: (request: string) => BucketFault | null | Promise<null>;
}

/** A server that speaks S3 and verifies signatures, on this machine, whose faults may be changed while it runs. */
export async function startTestBucket(): Promise<TestBucket> {
  const directory = await mkdtemp(join(tmpdir(), 'firstmile-bucket-'));
  const server = new S3rver({
    directory,
    address: '127.0.0.1',
    port: 0,
    silent: true,
    configureBuckets: [{ name: 'files', configs: [] }],
  });
  const { port: behind } = await server.run();
  const turns = new Map<string, Promise<unknown>>();
  const front = createServer((incoming, outgoing) => {
    const line = `${incoming.method} ${decodeURIComponent(incoming.url ?? '')}`;
    bucket.seen.push(line);
    const begin = (): void => {
      const fault = bucket.fault(line);
      if (fault instanceof Promise) void fault.then(() => pass(incoming, outgoing, behind, null));
      else pass(incoming, outgoing, behind, fault);
    };
    if (!isWholeObject(incoming)) return begin();
    const key = incoming.url!.split('?')[0]!;
    const before = turns.get(key) ?? Promise.resolve();
    const turn = before.then(() => {
      if (outgoing.destroyed) return;
      const ended = once(outgoing, 'close').catch(() => {});
      begin();
      return ended;
    });
    turns.set(key, turn);
  });
  front.on('clientError', (_error, socket) => socket.destroy());
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/files/here`;
  const bucket: TestBucket = {
    url,
    env: { OBJECT_STORE_URL: url, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
    seen: [],
    fault: () => null,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      front.close();
      server.httpServer.closeAllConnections();
      server.httpServer.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  return bucket;
}

/** Those of one object take turns: the server writes an object in place, where S3 replaces it as a whole. */
function isWholeObject({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' || method === 'POST' || (method === 'PUT' && !url.includes('?'));
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number, fault: BucketFault | null): void {
  if (fault === 'hang') return;
  if (fault === 'drop') return void incoming.socket.destroy();
  if (fault !== null && typeof fault === 'object') {
    incoming.resume();
    incoming.on('end', () => {
      outgoing.writeHead(fault.status, { 'content-type': 'application/xml' });
      outgoing.end(`<?xml version="1.0"?>\n<Error><Code>${fault.code}</Code><Message>made up</Message></Error>`);
    });
    return;
  }
  const { method, url, headers } = incoming;
  const onward: ClientRequest = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    if (fault === 'lose answer') {
      answer.resume();
      answer.on('end', () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (fault === null) return void answer.pipe(outgoing);
    answer.once('data', (piece: Buffer) => {
      answer.destroy();
      outgoing.write(piece.subarray(0, Math.ceil(piece.length / 2)), () => incoming.socket.destroy());
    });
  });
  onward.on('error', () => incoming.socket.destroy());
  incoming.pipe(onward);
}
