import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { duplexPair } from 'node:stream';
import type { AnyRequest, App } from '../server/app.ts';

/** A request to the service on behalf of whoever speaks to the MCP server. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
}

interface ServiceAnswer {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request with the credentials of the caller; it is left when `signal` aborts. */
export type Send = (request: ServiceRequest) => Promise<ServiceAnswer>;

/** Sends requests to a service at `url` with a token. */
export function sendTo(url: string, token: string): Send {
  return async ({ method, path, headers, body, signal }) => {
    const init: RequestInit = {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      // A token goes to nobody but the service it is of.
      redirect: 'error',
      signal,
    };
    // Its bytes belong to no shared memory; the type of the standard library cannot say so.
    if (body !== null) init.body = body as Uint8Array<ArrayBuffer>;
    const response = await fetch(new URL(path, url), init);
    return { status: response.status, body: response.body ?? nothing() };
  };
}

/** What a request says of who makes it. */
const CALLER_HEADERS = ['authorization', 'x-internal-api-key', 'x-user-id', 'x-user-email', 'x-forwarded-for'] as const;

/**
 * Sends requests through the whole of this server, so that guards, limits and handlers are those of every other client. They
 * carry the credentials and the address of `outer`. The connection is in memory: one for each request, closed when it is left.
 */
export function sendWithin(app: App, outer: AnyRequest): Send {
  const carried: Record<string, string> = {};
  for (const name of CALLER_HEADERS) {
    const value = outer.headers[name];
    if (typeof value === 'string') carried[name] = value;
  }
  return async ({ method, path, headers, body, signal }) => {
    const request = httpRequest({
      method,
      path,
      headers: { host: 'localhost', ...headers, ...carried, 'content-length': body?.length ?? 0 },
      signal,
      createConnection: () => {
        const [near, far] = duplexPair();
        app.server.emit('connection', Object.assign(far, { remoteAddress: outer.raw.socket.remoteAddress }));
        return near;
      },
    });
    request.end(body ?? undefined);
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    return { status: response.statusCode ?? 500, body: response };
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
