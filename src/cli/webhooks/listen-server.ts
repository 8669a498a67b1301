import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { diagnoseSignature, type SignatureFinding } from '../../webhooks/diagnose-signature.ts';
import type { Respond, Response } from './listen-respond.ts';

/** One request, as a person wants to see it. */
export interface ReceivedWebhook {
  readonly type: string;
  readonly id: string;
  /** 1 for the first time this id came. */
  readonly attempt: number;
  /** Milliseconds since the same id came before; null the first time. */
  readonly sinceLastMs: number | null;
  /** Null: no secret is known, so nothing was verified. */
  readonly verified: boolean | null;
  readonly findings: readonly SignatureFinding[];
  readonly body: string;
  readonly response: Response;
}

interface ListenOptions {
  readonly port: number;
  /** May be learnt later than the server starts. */
  readonly secret: () => string | null;
  readonly respond: Respond;
  readonly onWebhook: (webhook: ReceivedWebhook) => void;
}

const MAX_BODY_BYTES = 1_000_000;
/** Events whose attempts are counted; the oldest is forgotten. */
const MAX_EVENTS = 10_000;

/** Starts a receiver on this machine. */
export async function listenForWebhooks(options: ListenOptions): Promise<{ url: string; close(): Promise<void> }> {
  const seen = new Map<string, { times: number; at: number }>();
  const server = createServer((request, response) => void receive(request, response, options, seen));
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, respond, onWebhook }: ListenOptions,
  seen: Map<string, { times: number; at: number }>,
): Promise<void> {
  response.on('error', () => {});
  const body = await readBody(request);
  if (body === null) return void response.destroy();
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  const header = request.headers['x-service-webhook-signature'];
  const { type, id } = fieldsOf(body);
  const before = seen.get(id);
  const now = performance.now();
  const times = before?.times ?? 0;
  seen.delete(id);
  seen.set(id, { times: times + 1, at: now });
  if (seen.size > MAX_EVENTS) seen.delete(seen.keys().next().value!);
  const known = secret();
  const diagnosis = known === null ? null : diagnoseSignature({ body, header: header?.toString(), secrets: [known] });
  const answer = respond(times, diagnosis?.verified ?? true);
  onWebhook({
    type,
    id,
    attempt: times + 1,
    sinceLastMs: before === undefined ? null : now - before.at,
    verified: diagnosis?.verified ?? null,
    findings: diagnosis?.findings ?? [],
    body,
    response: answer,
  });
  give(answer, response);
}

function give(answer: Response, response: ServerResponse): void {
  switch (answer.kind) {
    case 'hang':
      return;
    case 'close':
      return void response.destroy();
    case 'redirect':
      return void response.writeHead(307, { location: '/redirected' }).end();
    case 'status':
      setTimeout(() => response.writeHead(answer.status).end(), answer.afterMs).unref();
  }
}

/** The body as text, or null when it is broken off or too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fieldsOf(body: string): { type: string; id: string } {
  try {
    const { type, id } = (JSON.parse(body) ?? {}) as { type?: unknown; id?: unknown };
    return { type: typeof type === 'string' ? type : '(no type)', id: typeof id === 'string' ? id : '(no id)' };
  } catch {
    return { type: '(not JSON)', id: '(no id)' };
  }
}
