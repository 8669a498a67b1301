import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { leavingSignal } from '../guards/leaving-signal.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../server/app.ts';
import { MCP_PATH, nameResourceMetadata } from './protected-resource.ts';
import { sendWithin } from './send.ts';

/** Exchanges one principal may have open at the same time: calls of tools, and streams. */
export const MAX_MCP_EXCHANGES = 20;

interface McpOptions {
  readonly version: string;
  readonly config: Pick<Config, 'publicUrl' | 'corsOrigins' | 'jwtIssuer'>;
}

/**
 * The MCP server at `POST /mcp`: streamable HTTP without sessions, so that any process of an installation can answer any
 * request. Tools call the endpoints with the caller's credentials, so scopes and limits are theirs.
 */
export function mcpRoutes({ version, config }: McpOptions) {
  const open = new Map<string, number>();
  return (app: App): void => {
    app.post(
      MCP_PATH,
      {
        // The protocol's own messages are no requests of the rate limit; what a tool calls is.
        config: { access: 'authenticated', polling: true, produces: [] },
        schema: { hide: true },
        onRequest: async (request) => checkNames(request, config),
        onSend: async (request, reply) => nameResourceMetadata(request as AnyRequest, reply as AnyReply, config),
      },
      async (request, reply) => {
        countExchange(principalOf(request).key, reply, open);
        return await answer(app, request, reply, version);
      },
    );
  };
}

async function answer(app: App, outer: AnyRequest, reply: AnyReply, version: string): Promise<AnyReply> {
  // Some 30 MB that a service without assistants never needs.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./create-mcp-server.ts'),
  ]);
  const left = leavingSignal(reply);
  // A stream without an end of its own stops with the service; tools are finished.
  const isEndless = isRecord(outer.body) && outer.body['method'] === 'subscriptions/listen';
  const signal = isEndless ? AbortSignal.any([left, app.draining]) : left;
  const handler = createMcpHandler(() => createMcpServer(sendWithin(app, outer), version), {
    onerror: (err) => outer.log.debug({ err }, 'an MCP request was refused'),
  });
  reply.raw.once('close', () => void handler.close());
  const headers = new Headers();
  for (const [name, value] of Object.entries(outer.headers)) if (typeof value === 'string') headers.set(name, value);
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal });
  const response = await handler.fetch(request, { parsedBody: outer.body });
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  // A proxy that buffers would hold progress back.
  reply.header('x-accel-buffering', 'no');
  return reply.send(response.body === null ? '' : Readable.fromWeb(response.body));
}

/**
 * Refuses names that a page of somebody else could have pointed to this machine: no public name server can do so with an
 * address, or with a name without a dot. A page that calls has to be of this service itself, of this machine, or of an origin
 * that the operator allows.
 */
function checkNames({ headers }: AnyRequest, { publicUrl, corsOrigins }: McpOptions['config']): void {
  const own = publicUrl === null ? null : nameIn(publicUrl);
  const host = nameIn(`http://${headers.host ?? ''}`);
  if (host === '' || (host !== own && host.includes('.') && isIP(host) === 0)) refuse('Host', headers.host);
  if (headers.origin === undefined || corsOrigins.includes(headers.origin)) return;
  const origin = nameIn(headers.origin);
  if (origin === '' || ![own, host, ...LOCAL].includes(origin)) refuse('Origin', headers.origin);
}

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** The name in an address; empty when there is none. */
function nameIn(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}

function refuse(header: string, came = ''): never {
  const got = JSON.stringify(came.slice(0, 200));
  throw new Problem('host_refused', `${header}: wanted a name of this service, got ${got}. PUBLIC_URL sets its name.`);
}

function countExchange(key: string, reply: AnyReply, open: Map<string, number>): void {
  const exchanges = open.get(key) ?? 0;
  if (exchanges >= MAX_MCP_EXCHANGES)
    throw new Problem(
      'rate_limited',
      `Wanted at most ${MAX_MCP_EXCHANGES} MCP requests open at the same time (mcp_exchanges in /limits).`,
      { retryAfterS: 5 },
    );
  open.set(key, exchanges + 1);
  reply.raw.once('close', () => {
    const rest = (open.get(key) ?? 1) - 1;
    if (rest === 0) open.delete(key);
    else open.set(key, rest);
  });
}
