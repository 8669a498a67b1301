/** Runs a job for the first caller of a key and lets others of the same key wait for the same result while it runs. */
export type Shared<T> = (key: string, signal: AbortSignal, job: (signal: AbortSignal) => Promise<T>) => Promise<T>;

const NOBODY_WAITS = new Error('nobody waits for it any more');

interface Running<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  callers: number;
}

/**
 * A caller that aborts leaves; the job is aborted when the last one has left. Nothing is kept when the job has ended,
 * least of all its failure.
 */
export function createShared<T>(): Shared<T> {
  const running = new Map<string, Running<T>>();

  function begin(key: string, job: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const entry = { promise: job(controller.signal), controller, callers: 0 };
    const forget = (): void => {
      if (running.get(key) === entry) running.delete(key);
    };
    entry.promise.then(forget, forget);
    running.set(key, entry);
    return entry;
  }

  return async (key, signal, job) => {
    signal.throwIfAborted();
    const entry = running.get(key) ?? begin(key, job);
    entry.callers += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([entry.promise, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      entry.callers -= 1;
      if (entry.callers === 0) {
        if (running.get(key) === entry) running.delete(key);
        // A reason of its own: to make one each time costs more than a small job.
        entry.controller.abort(signal.reason ?? NOBODY_WAITS);
      }
    }
  };
}
