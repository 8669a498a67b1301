import type { Dispatcher } from 'undici';
import { ByteSourceError } from '../io/byte-error.ts';
import { refuseEncoded } from '../io/http/answer.ts';
import { readBody } from '../io/http/body.ts';
import { requestUntil } from '../io/http/request-until.ts';
import { retryAfterMs } from '../io/http/retry-after.ts';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** May hold a key in its query; never shown. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface SendOptions {
  /** How errors call the service. */
  readonly name: string;
  /** Time for one attempt, body included, in milliseconds. */
  readonly attemptMs: number;
  /** Longest body that is read, in bytes. */
  readonly maxBytes: number;
  readonly dispatcher?: Dispatcher;
}

/** Bodies of failures are read this far: enough for the reason a service gives. */
const FAILURE_BYTES = 16_384;
const AGENT = 'firstmile (facility checks)';

/**
 * Sends one request and gives the body of a 200 as text. Redirects are not followed: a key must not travel to another
 * host. Everything else is a `ByteSourceError`, whose cause for a status is the beginning of the body.
 */
export async function sendUpstream(
  { method, url, headers, body }: UpstreamRequest,
  { name, attemptMs, maxBytes, dispatcher }: SendOptions,
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.timeout(attemptMs);
  let answer: Dispatcher.ResponseData | null = null;
  try {
    answer = await requestUntil(url, {
      method,
      headers: { accept: 'application/json', 'user-agent': AGENT, ...headers },
      ...(body === undefined ? {} : { body }),
      ...(dispatcher === undefined ? {} : { dispatcher }),
      signal: AbortSignal.any([signal, deadline]),
    });
    if (answer.statusCode !== 200) throw await failure(name, answer);
    refuseEncoded(name, answer);
    return new TextDecoder().decode(await readBody(name, answer, null, { limit: maxBytes }));
  } catch (error) {
    answer?.body.on('error', () => {}).destroy();
    if (signal.aborted) throw signal.reason;
    if (deadline.aborted)
      throw new ByteSourceError('timeout', name, `no complete answer within ${attemptMs} ms`, { cause: error });
    if (error instanceof ByteSourceError) throw error;
    throw new ByteSourceError('transport', name, (error as Error).message, { cause: error });
  }
}

async function failure(name: string, answer: Dispatcher.ResponseData): Promise<ByteSourceError> {
  const { statusCode: status, headers } = answer;
  const header = headers['retry-after'];
  const wait = retryAfterMs(Array.isArray(header) ? header[0] : header, Date.now());
  const cause = await beginningOf(answer);
  const kind = status >= 300 && status < 400 ? 'redirect' : 'status';
  const details = { status, cause, ...(wait === null ? {} : { retryAfterMs: wait }) };
  return new ByteSourceError(kind, name, `wanted status 200, got ${status}`, details);
}

async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= FAILURE_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, FAILURE_BYTES));
}
