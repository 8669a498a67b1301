import { FirstmileError } from './problems.ts';

export interface Retries {
  /** How often a request is sent again; default 4. 0 never. */
  readonly attempts: number;
  /** The longest that one wait may be, in seconds; default 60. A service that wants a longer one ends the call with its error. */
  readonly longestWaitS: number;
}

export const USUAL_RETRIES: Retries = { attempts: 4, longestWaitS: 60 };

/** Half a second, doubled with each attempt, where the service does not say how long to wait. */
const FIRST_WAIT_S = 0.5;

/**
 * Seconds to wait before a request is sent again, or null where it should not be: what failed would fail again, or may have been
 * done already. `sent` counts the attempts so far, from 1; `random` is from 0 to 1.
 */
export function waitBeforeRetry(
  error: unknown,
  isRepeatable: boolean,
  sent: number,
  { attempts, longestWaitS }: Retries,
  random: number,
): number | null {
  if (sent > attempts || !(error instanceof FirstmileError) || !mayBeSentAgain(error, isRepeatable)) return null;
  const wait = error.retryAfterS ?? FIRST_WAIT_S * 2 ** (sent - 1) * (0.5 + random / 2);
  return error.retryAfterS !== null && wait > longestWaitS ? null : Math.min(wait, longestWaitS);
}

function mayBeSentAgain({ status, code }: FirstmileError, isRepeatable: boolean): boolean {
  // Refused before anything was begun.
  if (status === 429 || code === 'queue_full' || code === 'shutting_down') return true;
  return isRepeatable && (status === 0 || (status >= 502 && status <= 504) || code === 'idempotency_conflict');
}

/**
 * Seconds of a `Retry-After`, which is a number of seconds or a date; null without one that can be read. A date is compared
 * with that of the answer, so that a wrong clock of this machine does not matter.
 */
export function retryAfterS(headers: Pick<Headers, 'get'>, nowMs: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(until)) return null;
  const now = Date.parse(headers.get('date') ?? '');
  return Math.max(0, (until - (Number.isNaN(now) ? nowMs : now)) / 1000);
}
