import type { DatasetRef } from './sources.ts';
import { firstAnswer } from '../first-answer.ts';

/** One lookup under way. */
export interface PendingLookup {
  readonly signal: AbortSignal;
  /** When the lookup has to be over, on the clock of `performance.now`. */
  readonly until: number;
  /** The sources that failed so far. */
  readonly failures: { readonly dataset: string; readonly error: unknown }[];
  readonly reportFailure: (dataset: string, error: unknown) => void;
}

/**
 * The first answer of the sources in their order; null when none has one. A source that throws or takes too long is
 * noted in `failures` and passed over: each may use half of the time that is left, the last one all of it.
 *
 * @param later how many sources are queried after these.
 * @throws the reason of `lookup.signal` when it aborts.
 */
export async function queryInTurn<S extends { readonly dataset: DatasetRef }, T>(
  sources: readonly S[],
  later: number,
  lookup: PendingLookup,
  query: (source: S, signal: AbortSignal) => Promise<T | null>,
): Promise<T | null> {
  const inTime = async (source: S, i: number): Promise<T | null> => {
    const left = Math.max(0, lookup.until - performance.now());
    const isLast = later === 0 && i === sources.length - 1;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(tooSlow()), isLast ? left : left / 2);
    const signal = AbortSignal.any([lookup.signal, limit.signal]);
    try {
      return await untilAborted(query(source, signal), signal);
    } catch (error) {
      lookup.signal.throwIfAborted();
      const reason = limit.signal.aborted ? limit.signal.reason : error;
      lookup.failures.push({ dataset: source.dataset.id, error: reason });
      lookup.reportFailure(source.dataset.id, reason);
      return null;
    } finally {
      clearTimeout(timer);
    }
  };
  return await firstAnswer(sources, inTime);
}

/** Does not wait for a source that does not listen to its signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) {
      work.catch(() => {});
      return give();
    }
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

function tooSlow(): DOMException {
  return new DOMException('the source took too long', 'TimeoutError');
}
