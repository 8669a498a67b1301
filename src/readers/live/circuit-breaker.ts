import { HOUR_MS } from '../../durations.ts';

/** Cells of a breaker's state. */
const FAILURES = 0;
const OPEN_UNTIL = 1;

export interface BreakerOptions {
  /** Failures in a row after which the service is left alone; default 5. */
  readonly failures?: number;
  /** How long it is left alone, in milliseconds; then one request tries whether it is back. Default 30,000. */
  readonly openMs?: number;
  /** Milliseconds since 1970, the same in every thread; default `Date.now`. */
  readonly now?: () => number;
}

/** Keeps requests from a service that fails anyway, so that they fail at once and the service can recover. */
export interface Breaker {
  /** Milliseconds for which the service is still left alone; null when a request may be let through. */
  leftAloneMs(): number | null;
  /** The same at the moment of the request: after the wait it lets the first one through and refuses the others. */
  refuses(): number | null;
  succeeded(): void;
  /** `quietMs` is how long the service itself wants no requests: it is, whatever the count. */
  failed(quietMs?: number | null): void;
}

/** Longest that a service is left alone because it said so; a slip of its clock must not switch it off for good. */
const LONGEST_QUIET_MS = HOUR_MS;

/** The memory of a breaker, for every thread of the process to share. */
export function createBreakerState(): SharedArrayBuffer {
  return new SharedArrayBuffer(16);
}

/** Closed, open for a while, then half open: one request is let through, and its outcome decides. */
export function createBreaker(state: SharedArrayBuffer, options: BreakerOptions = {}): Breaker {
  const { failures: limit = 5, openMs = 30_000, now = Date.now } = options;
  const cells = new BigInt64Array(state);
  const openFor = (ms: number): void => void Atomics.store(cells, OPEN_UNTIL, BigInt(now() + Math.ceil(ms)));

  const left = (until: bigint): number | null => {
    const ms = Number(until) - now();
    return until === 0n || ms <= 0 ? null : ms;
  };

  return {
    leftAloneMs: () => left(Atomics.load(cells, OPEN_UNTIL)),
    refuses() {
      const until = Atomics.load(cells, OPEN_UNTIL);
      const ms = left(until);
      if (until === 0n || ms !== null) return ms;
      // The first to come moves the end, and so keeps the others out while it tries.
      const next = BigInt(now() + openMs);
      return Atomics.compareExchange(cells, OPEN_UNTIL, until, next) === until ? null : openMs;
    },
    succeeded() {
      Atomics.store(cells, FAILURES, 0n);
      Atomics.store(cells, OPEN_UNTIL, 0n);
    },
    failed(requestedMs = null) {
      const quietMs = requestedMs === null ? null : Math.min(requestedMs, LONGEST_QUIET_MS);
      const count = Atomics.add(cells, FAILURES, 1n) + 1n;
      if (count >= BigInt(limit)) openFor(Math.max(openMs, quietMs ?? 0));
      else if (quietMs !== null && quietMs > 0) openFor(quietMs);
    },
  };
}
