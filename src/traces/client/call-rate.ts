/** Waits for the turn of a call, so that calls stay under the rate of the service. */
export type TakeTurn = (signal: AbortSignal) => Promise<void>;

interface RateParts {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Turns at least `1000 / perSecond` ms apart, in the order in which they are wanted. */
export function createCallRate(perSecond: number, { now, wait }: RateParts): TakeTurn {
  const gap = 1_000 / perSecond;
  let next = -Infinity;
  return async (signal) => {
    const at = Math.max(next, now());
    next = at + gap;
    const ms = at - now();
    if (ms > 0) await wait(ms, signal);
    signal.throwIfAborted();
  };
}
