import type { Client, Dispatcher } from 'undici';
import { ANSWER_BYTES, AttemptFailure, EXCERPT_BYTES, type FailureReason } from './delivery.ts';

export interface Answer {
  readonly status: number;
  readonly excerpt: string | null;
  readonly firstByteMs: number;
  /** True when the answer was read to its end and the connection may carry another request. */
  readonly whole: boolean;
}

/** Answers of the 100 range before the real one. */
const MAX_INFORMATION = 100;

const REASONS: Readonly<Record<string, FailureReason>> = {
  UND_ERR_HEADERS_OVERFLOW: 'answer_headers_too_large',
  HPE_HEADER_OVERFLOW: 'answer_headers_too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer_invalid',
  UND_ERR_SOCKET: 'connection_closed',
  UND_ERR_CLOSED: 'connection_closed',
  UND_ERR_DESTROYED: 'connection_closed',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
};

/**
 * One POST and its answer on an open connection. The status decides as soon as the headers are there: a body that is cut,
 * broken, endless or slower than `signal` changes nothing but the excerpt. The body is never decompressed. Throws an
 * `AttemptFailure` when no status came.
 */
export function exchange(
  client: Client,
  url: URL,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const begun = performance.now();
  const chunks: Buffer[] = [];
  let read = 0;
  let information = 0;
  let status: number | null = null;
  let firstByteMs = 0;
  let stays = true;

  // The failure is made only when there is one: the stack of an error costs more than the rest of this function.
  const settle = (whole: boolean, failure: () => AttemptFailure): void => {
    if (status === null) reject(failure());
    else resolve({ status, excerpt: excerptOf(chunks), firstByteMs, whole });
  };
  const onAbort = (): void => settle(false, () => new AttemptFailure('answer_timeout'));
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart(controller, code, headers) {
      if (code < 200) {
        if (++information > MAX_INFORMATION) controller.abort(new AttemptFailure('answer_invalid'));
        return;
      }
      status = code;
      stays = !/\bclose\b/i.test(String(headers['connection'] ?? ''));
      firstByteMs = performance.now() - begun;
    },
    onResponseData(controller, chunk) {
      if (read < EXCERPT_BYTES) chunks.push(Buffer.from(chunk.subarray(0, EXCERPT_BYTES - read)));
      read += chunk.length;
      if (read > ANSWER_BYTES) controller.abort(new AttemptFailure('answer_invalid'));
    },
    onResponseEnd: () => settle(stays, () => new AttemptFailure('answer_invalid')),
    onResponseError: (_controller, error) => settle(false, () => failureOf(error)),
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  else
    client.dispatch(
      { path: `${url.pathname}${url.search}`, method: 'POST', headers: request.headers, body: request.body },
      handler,
    );
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

function failureOf(error: Error): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  // The parser gives its errors a name and at most a code of its own; 100 and 101, which nobody requested, only a text.
  const broken =
    error.name === 'HTTPParserError' || code.startsWith('HPE_') || /^bad (response|upgrade)$/.test(error.message);
  const reason = REASONS[code] ?? 'connection_closed';
  if (!broken || reason === 'answer_headers_too_large') return new AttemptFailure(reason, undefined, { cause: error });
  const fault = /\((.+)\)$/.exec(error.message)?.[1];
  const detail = fault === undefined ? undefined : `The answer is not HTTP/1.1: ${fault}.`;
  return new AttemptFailure('answer_invalid', detail, { cause: error });
}

/** Text that any database and terminal can take: broken UTF-8 replaced, control characters but line breaks and tabs removed. */
function excerptOf(chunks: readonly Buffer[]): string | null {
  if (chunks.length === 0) return null;
  // eslint-disable-next-line no-control-regex
  return new TextDecoder().decode(Buffer.concat(chunks)).replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
