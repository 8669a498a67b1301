/** At most `quota` requests in each window of `seconds`. */
export interface RateWindow {
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

/** Where a client stands; `window` is the one nearest to its end. */
export interface RateStanding {
  readonly allowed: boolean;
  readonly window: RateWindow;
  readonly remaining: number;
  /** Whole seconds until the next window begins, 1 or more. */
  readonly resetS: number;
}

export interface RateLimiter {
  /** Counts one request of `key`, unless a window is full already. */
  take(key: string, now: number): RateStanding;
  /** Where `key` stands, without counting. */
  look(key: string, now: number): RateStanding;
}

const MAX_KEYS = 50_000;

interface Count {
  used: number;
  startedAt: number;
}

/**
 * Fixed windows that begin with a client's first request, counted in this process; `sharedLimiter` counts for all processes of
 * an installation. Memory is bounded by 50,000 keys; the key idle for longest
 * makes room. `now` is milliseconds since 1970.
 */
export function rateLimiter(windows: readonly RateWindow[]): RateLimiter {
  const counts = new Map<string, Count[]>();

  const current = (key: string, now: number): Count[] => {
    const found = counts.get(key) ?? windows.map(() => ({ used: 0, startedAt: now }));
    for (const [i, count] of found.entries()) {
      if (now - count.startedAt < windows[i]!.seconds * 1000) continue;
      count.used = 0;
      count.startedAt = now;
    }
    return found;
  };

  return {
    take(key, now) {
      const mine = current(key, now);
      counts.delete(key);
      if (counts.size >= MAX_KEYS) counts.delete(counts.keys().next().value!);
      counts.set(key, mine);
      const allowed = mine.every((count, i) => count.used < windows[i]!.quota);
      if (allowed) for (const count of mine) count.used++;
      return standing(windows, mine, now, allowed);
    },
    look(key, now) {
      const mine = current(key, now);
      return standing(
        windows,
        mine,
        now,
        mine.every((count, i) => count.used < windows[i]!.quota),
      );
    },
  };
}

/** The window with least left decides; among full ones, the one that stays full for longest. */
export function standing(
  windows: readonly RateWindow[],
  counts: readonly Readonly<Count>[],
  now: number,
  allowed: boolean,
): RateStanding {
  const all = windows.map((window, i) => ({
    allowed,
    window,
    remaining: window.quota - counts[i]!.used,
    resetS: Math.max(1, Math.ceil((counts[i]!.startedAt + window.seconds * 1000 - now) / 1000)),
  }));
  return all.reduce((worst, next) =>
    next.remaining < worst.remaining || (next.remaining === worst.remaining && next.resetS > worst.resetS)
      ? next
      : worst,
  );
}
