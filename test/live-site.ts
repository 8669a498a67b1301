import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach } from 'node:test';
import { gzipSync } from 'node:zlib';

export interface LiveRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type LiveHandler = (response: ServerResponse, request: LiveRequest, count: number) => void;

/** A local stand-in for a live service, open for the tests of the importing file. */
export interface LiveSite {
  base: string;
  /** What it does with a request; set by each test. */
  handler: LiveHandler;
  requests: LiveRequest[];
  mostInFlight: number;
}

export function openLiveSite(): LiveSite {
  const site: LiveSite = { base: '', handler: json({}), requests: [], mostInFlight: 0 };
  let inFlight = 0;
  const server = createServer((request, response) => {
    inFlight += 1;
    site.mostInFlight = Math.max(site.mostInFlight, inFlight);
    response.on('close', () => void (inFlight -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
      site.requests.push(seen);
      site.handler(response, seen, site.requests.length);
    });
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => Object.assign(site, { handler: json({}), requests: [], mostInFlight: 0 }));
  return site;
}

/** Answers as a service in good order does. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): LiveHandler {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** The n-th request gets the n-th handler, further ones the last. */
export function inTurn(...handlers: readonly LiveHandler[]): LiveHandler {
  return (response, request, count) => handlers[Math.min(count, handlers.length) - 1](response, request, count);
}

/** Every way in which an answer can be no answer, whatever the service; each ends by itself or with the client. */
export const MISBEHAVIOURS = {
  'never answers': () => {},
  'drips a byte now and then': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  'resets the connection': (response) => response.destroy(),
  'breaks off within the body': (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"elements":[');
    setTimeout(() => response.destroy(), 10);
  },
  'sends half a document': (response) => response.end('{"elements":['),
  'sends nothing': (response) => response.end(),
  'sends a web page': (response) => response.end('<html><body>Dispatcher is busy</body></html>'),
  'sends another document': json([[], null]),
  'sends null': json(null),
  'sends without end': (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 32)));
    };
    response.on('drain', more);
    more();
  },
  'compresses unasked': (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('{}'));
  },
  redirects: (response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' });
    response.end();
  },
  'asks for fewer requests': json({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, 429),
  'asks for fewer requests for an hour': json({ detail: 'throttled' }, 429, { 'retry-after': '3600' }),
  'does not accept the key': json({ error: { code: 403, status: 'PERMISSION_DENIED' } }, 403),
  'has no allowance left': json({ detail: 'API limit exceeded' }, 402),
  'is down': json({}, 500),
  'has a bad gateway': (response) => {
    response.writeHead(502);
    response.end('<html>502</html>');
  },
  'is unavailable': json({}, 503),
  'has a slow gateway': json({}, 504),
} as const satisfies Readonly<Record<string, LiveHandler>>;
