import { ByteSourceError } from './byte-error.ts';
import type { ByteSource } from './byte-source.ts';
import { createBreaker, createBreakerState, type Breaker } from '../live/circuit-breaker.ts';

/** Failed reads of a host in a row after which it is left alone, and for how long. */
const FAILURES = 3;
const LEFT_ALONE_MS = 30_000;

/** One breaker for each host, shared by every source on it. @param now milliseconds; default `Date.now` */
export function createHostBreakers(now?: () => number): (source: ByteSource) => Breaker {
  const breakers = new Map<string, Breaker>();
  return ({ id }) => {
    const host = URL.parse(id)?.host ?? '';
    const breaker =
      breakers.get(host) ??
      createBreaker(createBreakerState(), { failures: FAILURES, openMs: LEFT_ALONE_MS, ...(now ? { now } : {}) });
    breakers.set(host, breaker);
    return breaker;
  };
}

/**
 * Fails at once while the host of a source is left alone: one that does not answer must not cost its whole deadline for
 * each of many files. Put it around retries, so that it counts reads that failed for good.
 */
export function withBreaker(source: ByteSource, breaker: Breaker): ByteSource {
  async function guarded<T>(read: () => Promise<T>): Promise<T> {
    const ms = breaker.refuses();
    if (ms !== null)
      throw new ByteSourceError('timeout', source.id, `its host failed and is left alone for ${Math.ceil(ms)} ms more`);
    try {
      const answer = await read();
      breaker.succeeded();
      return answer;
    } catch (error) {
      if (isHostAtFault(error)) breaker.failed(error instanceof ByteSourceError ? error.retryAfterMs : null);
      // A trial that ended for another reason must not leave the host alone for good.
      else breaker.succeeded();
      throw error;
    }
  }
  return {
    id: source.id,
    stat: (options) => guarded(() => source.stat(options)),
    fetch: (offset, length, options) => guarded(() => source.fetch(offset, length, options)),
  };
}

/** Not answering, too often failing, and demanding patience; not a file that is damaged or a caller that left. */
function isHostAtFault(error: unknown): boolean {
  if (!(error instanceof ByteSourceError)) return (error as Error | null)?.name === 'TimeoutError';
  if (error.kind === 'status') return error.status === 429 || (error.status ?? 0) >= 500;
  return error.kind === 'transport' || error.kind === 'timeout';
}
