import { setTimeout as wait } from 'node:timers/promises';

/**
 * Keeps at least so many milliseconds between the starts of requests to one service, over all threads that share the
 * cell. Resolves when it is the caller's turn. The clock is the same in every thread.
 */
export function createPace(
  cells: BigInt64Array,
  index: number,
  intervalMs: number,
  now: () => number = Date.now,
): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    for (;;) {
      const last = Atomics.load(cells, index);
      const at = Math.max(now(), Number(last));
      if (Atomics.compareExchange(cells, index, last, BigInt(at + intervalMs)) !== last) continue;
      const delay = at - now();
      if (delay > 0) await wait(delay, undefined, { signal });
      return;
    }
  };
}
