import { inTime } from '../../in-time.ts';
import { rateLimiter, standing, type RateStanding, type RateWindow } from './rate-limiter.ts';

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

export interface SharedLimiter {
  take(key: string, now: number): Promise<RateStanding>;
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

  return {
    async take(key, now) {
      const known = full.get(key);
      if (known !== undefined && now < known.end)
        return { allowed: false, window: known.worst, remaining: 0, resetS: secondsTo(known.end, now) };
      full.delete(key);
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

function secondsTo(end: number, now: number): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

function tooSlow(): Error {
  return new Error(`no answer within ${PATIENCE_MS} ms`);
}
