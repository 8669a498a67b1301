import { inTime } from '../../in-time.ts';

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

interface RateLimiter {
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
function standing(
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

/** Counts that every process on one database sees. */
export interface SharedRateCounts {
  /** Counts a request in all windows, or in none where one is full. Rejects when the counts cannot be had. */
  take(
    key: string,
    windows: readonly RateWindow[],
  ): Promise<{
    readonly allowed: boolean;
    /** For each window: requests used, and seconds until it ends. */
    readonly counts: readonly { readonly used: number; readonly leftS: number }[];
  }>;
}

/** What the counts of the installation may take, in milliseconds, before the process goes on by its own. */
const PATIENCE_MS = 1_000;
/** How long they are left alone after they failed. */
const REST_MS = 5_000;
const MAX_FULL = 50_000;

interface SharedLimiter {
  take(key: string, now: number): Promise<RateStanding>;
  /** Where `key` stands as far as this process knows, without counting. */
  look(key: string, now: number): RateStanding;
}

/**
 * A limit that all processes of the installation share. While the shared counts fail or are slow the process counts for itself:
 * a database that is down neither refuses requests nor lets them through without limit. A client whose window is full is refused
 * from memory until that window ends. `now` is milliseconds since 1970; `onFailure` gets the failure each time the process falls
 * back, at most every 5 seconds.
 */
export function sharedLimiter(
  windows: readonly RateWindow[],
  shared: SharedRateCounts,
  onFailure: (error: unknown) => void,
): SharedLimiter {
  const own = rateLimiter(windows);
  const full = new Map<string, { readonly end: number; readonly worst: RateWindow }>();
  let restUntil = -Infinity;

  const refused = (key: string, now: number): RateStanding | null => {
    const known = full.get(key);
    if (known !== undefined && now < known.end)
      return { allowed: false, window: known.worst, remaining: 0, resetS: secondsTo(known.end, now) };
    full.delete(key);
    return null;
  };

  return {
    look: (key, now) => refused(key, now) ?? own.look(key, now),
    async take(key, now) {
      const known = refused(key, now);
      if (known !== null) return known;
      if (now < restUntil) return own.take(key, now);
      try {
        const { allowed, counts } = await inTime(shared.take(key, windows), PATIENCE_MS, tooSlow);
        const at = standing(
          windows,
          counts.map(({ used, leftS }, i) => ({
            used: Math.min(used, windows[i].quota),
            startedAt: now + 1000 * (leftS - windows[i].seconds),
          })),
          now,
          allowed,
        );
        if (allowed) own.take(key, now);
        else if (full.size < MAX_FULL) full.set(key, { end: now + 1000 * at.resetS, worst: at.window });
        return at;
      } catch (error) {
        if (now >= restUntil) onFailure(error);
        restUntil = now + REST_MS;
        return own.take(key, now);
      }
    },
  };
}

/** What makes a limit: in the counts of the installation where there are any, else in this process. */
export type OpenLimiter = (windows: readonly RateWindow[]) => RateLimiter | SharedLimiter;

/** Opens limits over `shared`, or over this process alone. `onFailure` is that of `sharedLimiter`. */
export function limitersOver(shared: SharedRateCounts | undefined, onFailure: (error: unknown) => void): OpenLimiter {
  return (windows) => (shared === undefined ? rateLimiter(windows) : sharedLimiter(windows, shared, onFailure));
}

function secondsTo(end: number, now: number): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

function tooSlow(): Error {
  return new Error(`no answer within ${PATIENCE_MS} ms`);
}
