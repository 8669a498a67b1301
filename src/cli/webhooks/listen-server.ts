import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { diagnoseSignature, type SignatureFinding } from '../../webhooks/diagnose-signature.ts';
import { UsageError } from '../command.ts';

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

/** What the receiver does with one request. */
type Response =
  | { readonly kind: 'status'; readonly status: number; readonly afterMs: number }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'close' };

/** Decides the response: from how often the event came before (0 for the first time) and whether it was verified. */
type Respond = (times: number, verified: boolean) => Response;

export const RESPOND_DOC =
  'What to answer: ok (200, or 401 where the signature does not fit), a status such as 500 or 204, slow or slow=SECONDS ' +
  '(200 after 20 s, which is too late), hang (never), close (no answer), redirect, fail-first=N (500 to the first N attempts of an event).';

const SLOW_S = 20;
const MAX_SLOW_S = 3_600;

/** Reads `--respond`; throws a `UsageError` for anything that is not in its help. */
export function parseRespond(text: string): Respond {
  const [, word = '', number] = /^([a-z-]+)(?:=(\d+))?$/.exec(text) ?? [];
  const count = number === undefined ? null : Number(number);
  if (/^[2-5]\d\d$/.test(text)) return () => status(Number(text));
  if (word === 'slow' && (count ?? SLOW_S) <= MAX_SLOW_S) return () => status(200, (count ?? SLOW_S) * 1_000);
  if (word === 'fail-first' && count !== null)
    return (times, verified) => (times < count ? status(500) : respondTo(verified));
  if (count === null && word === 'ok') return (_times, verified) => respondTo(verified);
  if (count === null && (word === 'hang' || word === 'close' || word === 'redirect')) return () => ({ kind: word });
  throw new UsageError(
    `--respond: wanted ok, a status, slow, slow=5, hang, close, redirect or fail-first=2, got "${text}"`,
  );
}

function respondTo(verified: boolean): Response {
  return status(verified ? 200 : 401);
}

function status(code: number, afterMs = 0): Response {
  return { kind: 'status', status: code, afterMs };
}
