import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach } from 'node:test';

import { ByteSourceError } from '../../src/readers/io/byte-error.ts';
import type { FetchOptions } from '../../src/readers/io/byte-source.ts';
import { CACHE_BLOCK_BYTES } from '../../src/readers/io/disk-cache.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of one file and a folder with the same file, opened before the tests of the importing file and closed behind them. */
export interface ByteSite {
  base: string;
  folder: string;
  /** Answers the requests; a good server again before every test. */
  handler: Handler;
  /** `Range` of every request since the test began. */
  requests: string[];
  mostInFlight: number;
}

export const SIZE = 3 * CACHE_BLOCK_BYTES + 777;
export const file = Uint8Array.from({ length: SIZE }, (_, i) => (i * 2_654_435_761) >>> 13);
export const options: FetchOptions = { signal: AbortSignal.any([]) };

export function openByteSite(): ByteSite {
  const site: ByteSite = { base: '', folder: '', handler: serve, requests: [], mostInFlight: 0 };
  let inFlight = 0;
  const server = createServer((request, response) => {
    site.requests.push(request.headers.range ?? '');
    inFlight += 1;
    site.mostInFlight = Math.max(site.mostInFlight, inFlight);
    response.on('close', () => void (inFlight -= 1));
    site.handler(request, response);
  });

  before(async () => {
    site.folder = await mkdtemp(join(tmpdir(), 'firstmile-bytes-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await writeFile(join(site.folder, 'file.bin'), file);
  });

  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(site.folder, { recursive: true, force: true });
  });

  beforeEach(() => Object.assign(site, { handler: serve, requests: [], mostInFlight: 0 }));
  return site;
}

/** Answers ranges as a good server does. */
export function serve(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array = file,
  etag = '"v1"',
): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(from), Math.min(Number(to) + 1, bytes.length)];
  if (start >= bytes.length) {
    response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    return;
  }
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
    'content-length': end - start,
    etag,
  });
  response.end(bytes.subarray(start, end));
}

/** Answers every request with the same status, headers and body. */
export function misbehave(
  status: number,
  headers: Record<string, string | number>,
  body: Uint8Array | string = '',
): Handler {
  return (_request, response) => response.writeHead(status, headers).end(body);
}

/** The typed error a read must end in. */
export async function faultOf(read: Promise<unknown>): Promise<ByteSourceError> {
  const error = await read.then(
    (value) => assert.fail(`read ${String(value)}`),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ByteSourceError, String(error));
  return error;
}
