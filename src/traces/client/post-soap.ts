import type { Agent } from 'undici';
import { TracesFailure } from '../faults/traces-failure.ts';

/** One message to be posted. */
interface SoapPost {
  readonly url: string;
  readonly action: string;
  readonly message: string;
}

interface SoapAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Posts one message once and returns the answer whatever its status. @throws TracesFailure without an answer. */
export type PostSoap = (post: SoapPost, signal: AbortSignal) => Promise<SoapAnswer>;

interface PostOptions {
  /** Milliseconds from the first byte sent to the last one received. Default {@link CALL_DEADLINE_MS}. */
  readonly deadlineMs?: number;
  /** Bytes of an answer that are read. Default {@link ANSWER_BYTES}. */
  readonly answerBytes?: number;
}

/** A statement may carry 25 MB, and the service reads all of it before it answers. */
const CALL_DEADLINE_MS = 120_000;
/** A retrieved statement with all its geodata, and some room. */
const ANSWER_BYTES = 64_000_000;
const CONNECT_MS = 15_000;

/** Errors that are met before a byte of the message has left. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*|ERR_SSL_.*)$/;

/**
 * Opens the way to the service: HTTPS with verified certificates (plain HTTP only where the address is of this machine),
 * no redirects, a connection for each message, so that none is lost on one that the service is closing.
 */
export function openSoap({ deadlineMs = CALL_DEADLINE_MS, answerBytes = ANSWER_BYTES }: PostOptions = {}): {
  readonly post: PostSoap;
  close(): Promise<void>;
} {
  let agent: Agent | null = null;
  async function post({ url, action, message }: SoapPost, signal: AbortSignal): Promise<SoapAnswer> {
    // Imported by the first message, as few services ever send one.
    const { Agent, request } = await import('undici');
    agent ??= new Agent({
      connect: { timeout: CONNECT_MS },
      pipelining: 0,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: agent,
        signal: AbortSignal.any([signal, deadline]),
        headers: { 'content-type': 'text/xml; charset=UTF-8', accept: 'text/xml', soapaction: `"${action}"` },
        body: message,
      });
      const bytes = await readUpTo(answer.body, answerBytes);
      const contentType = String(answer.headers['content-type'] ?? '');
      return { status: answer.statusCode, contentType, text: bytes.toString('utf8') };
    } catch (error) {
      throw failureOf(error, deadline.aborted, deadlineMs);
    }
  }
  return { post, close: async () => agent?.destroy() };
}

async function readUpTo(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most)
      throw new TracesFailure(
        'answer_unreadable',
        `The answer of the information system is longer than ${most} bytes.`,
        {
          outcome: 'unknown',
        },
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureOf(error: unknown, isLate: boolean, deadlineMs: number): TracesFailure {
  if (error instanceof TracesFailure) return error;
  const code = String(
    (error as { code?: unknown }).code ?? (error as { cause?: { code?: unknown } }).cause?.code ?? '',
  );
  if (NOT_SENT.test(code))
    return new TracesFailure('not_connected', `The information system cannot be reached (${code}); nothing was sent.`, {
      outcome: 'not_sent',
      cause: error,
    });
  const why = isLate ? `no answer within ${deadlineMs / 1_000} s` : (error as Error).message;
  return new TracesFailure('no_answer', `The information system did not answer: ${why}.`, {
    outcome: 'unknown',
    cause: error,
  });
}
