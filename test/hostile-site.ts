import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach } from 'node:test';
import { serve, type Handler } from './end-to-end/byte-source-site.ts';

/** A local server of files by path, open for the tests of the importing file, that can be made to answer as the worst ones do. */
export interface HostileSite {
  base: string;
  host: string;
  readonly files: Map<string, Uint8Array>;
  /** Answers every request; a good server of `files` again before every test. */
  handler: Handler;
  /** Paths requested since the test began. */
  requests: string[];
}

export function openHostileSite(): HostileSite {
  const files = new Map<string, Uint8Array>();
  const answer: Handler = (request, response) => {
    const bytes = files.get(request.url ?? '');
    if (bytes === undefined) response.writeHead(404).end('not here');
    else if (request.headers.range === undefined) response.writeHead(200).end(bytes);
    else serve(request, response, bytes, `"${bytes.length}"`);
  };
  const site: HostileSite = { base: '', host: '', files, handler: answer, requests: [] };
  const server = createServer((request, response) => {
    site.requests.push(request.url ?? '');
    site.handler(request, response);
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    site.base = `http://${site.host}`;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => Object.assign(site, { handler: answer, requests: [] }));
  return site;
}
