import { ByteSourceError } from '../byte-error.ts';
import { retried, type RetryOptions } from '../retries.ts';
import { contentRange, refuseEncoded, refusePage, refuseStatus } from './answer.ts';
import { readBody } from './body.ts';
import { nextAddress } from './redirect.ts';
import { requestUntil } from './request-until.ts';

interface FileRequest {
  /** Bytes from the end that are wanted; null wants the whole file. */
  readonly tail: number | null;
  /** Largest body that is taken, in bytes. */
  readonly maxBytes: number;
  readonly retries?: Omit<RetryOptions, 'counters'>;
}

/** A file or its end. */
interface FetchedFile {
  readonly bytes: Uint8Array;
  /** Length of the whole, in bytes. */
  readonly size: number;
}

const DEADLINE_MS = 20_000;
const MAX_REDIRECTS = 3;
const MISSING: ReadonlySet<number> = new Set([404, 410]);

/**
 * Reads a file, or its last bytes, with one request and without a request for its size; null when there is nothing at the
 * address. Tries again as `withRetries` does. Rejects with a `ByteSourceError`, for a body that is shorter than promised too.
 */
export function fetchFile(url: string, request: FileRequest, signal: AbortSignal): Promise<FetchedFile | null> {
  return retried(url, signal, request.retries ?? {}, (inner) => fetchOnce(url, request, inner));
}

async function fetchOnce(
  url: string,
  { tail, maxBytes }: FileRequest,
  signal: AbortSignal,
): Promise<FetchedFile | null> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    let address = new URL(url);
    for (let redirects = 0; ; redirects++) {
      const answer = await requestUntil(address, {
        headers: { 'accept-encoding': 'identity', ...(tail === null ? {} : { range: `bytes=-${tail}` }) },
        signal: AbortSignal.any([signal, deadline]),
      });
      const { statusCode: status, headers } = answer;
      if (status >= 300 && status < 400) {
        await answer.body.dump();
        if (redirects === MAX_REDIRECTS)
          throw new ByteSourceError('redirect', url, `wanted at most ${MAX_REDIRECTS} redirects, got more`, { status });
        address = nextAddress(url, address, answer);
        continue;
      }
      if (MISSING.has(status)) {
        await answer.body.dump();
        return null;
      }
      // A server without ranges, and a file that is shorter than its wanted end, answer with the whole.
      if (status !== 200) refuseStatus(url, answer);
      refuseEncoded(url, answer);
      refusePage(url, answer);
      const range = status === 206 ? contentRange(url, answer) : null;
      const declared = range === null ? Number(headers['content-length'] ?? NaN) : range.end - range.start;
      if (declared > maxBytes)
        throw new ByteSourceError('too_large', url, `wanted at most ${maxBytes} bytes, got ${declared}`, { status });
      const bytes = await readBody(url, answer, Number.isNaN(declared) ? null : declared, { limit: maxBytes });
      if (range !== null && (range.size === null || range.end !== range.size))
        throw new ByteSourceError('bad_range', url, 'wanted the end of the file, got another part of it', { status });
      return { bytes, size: range?.size ?? bytes.length };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ByteSourceError) throw error;
    if (deadline.aborted) throw new ByteSourceError('timeout', url, `no complete answer within ${DEADLINE_MS} ms`);
    throw new ByteSourceError('transport', url, (error as Error).message, { cause: error });
  }
}
