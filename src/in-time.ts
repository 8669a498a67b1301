/**
 * Does work whose signal aborts with the one given, or after so many milliseconds with a `TimeoutError`. The timer ends with the
 * work: thousands of `AbortSignal.timeout` would each come due later, for nobody.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal, deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new DOMException(`It took over ${ms} ms.`, 'TimeoutError')), ms);
  timer.unref();
  try {
    return await work(AbortSignal.any([signal, over.signal]), over.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What work gives when it is done within so many milliseconds; else it rejects with what `late` makes. The work itself goes on,
 * and what becomes of it later is nobody's unhandled rejection.
 */
export function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
