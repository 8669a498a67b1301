import { setTimeout as sleep } from 'node:timers/promises';

import type { ByteCounters } from './counters.ts';
import { ByteSourceError, type ByteFault } from './byte-error.ts';
import type { ByteSource } from './byte-source.ts';

export interface RetryOptions {
  /** Times a read is tried, the first included; default 4. */
  readonly attempts?: number;
  /** Upper bound of the first wait, doubled for each further one; default 250 ms. */
  readonly baseMs?: number;
  /** Upper bound of any wait of our own choosing; default 8,000 ms. */
  readonly maxDelayMs?: number;
  /** Longest wait a server may demand; default 30,000 ms. */
  readonly maxRetryAfterMs?: number;
  /** Time for all attempts and waits together; default 60,000 ms. */
  readonly deadlineMs?: number;
  readonly counters?: ByteCounters;
  /** Numbers in [0, 1); default `Math.random`. */
  readonly random?: () => number;
  /** Waits; default a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const DEFAULTS = { attempts: 4, baseMs: 250, maxDelayMs: 8_000, maxRetryAfterMs: 30_000, deadlineMs: 60_000 } as const;
const RETRIED_STATUSES: ReadonlySet<number | null> = new Set([408, 425, 429, 500, 502, 503, 504]);
const RETRIED_FAULTS: ReadonlySet<ByteFault> = new Set(['transport', 'timeout', 'short']);

/**
 * Tries reads again that failed by chance: transport faults, answers that ended early and statuses 408, 425, 429 and
 * 5xx. Waits are random between 0 and an exponentially growing bound (full jitter), at least as long as `Retry-After`
 * demands; a wait that would outlast the deadline is not begun.
 */
export function withRetries(source: ByteSource, options: RetryOptions = {}): ByteSource {
  return {
    id: source.id,
    stat: ({ signal }) => retried(source.id, signal, options, (inner) => source.stat({ signal: inner })),
    fetch: (offset, length, { signal, into }) =>
      retried(source.id, signal, options, (inner) =>
        source.fetch(offset, length, { signal: inner, ...(into && { into }) }),
      ),
  };
}

type Settings = Required<Omit<RetryOptions, 'counters'>> & Pick<RetryOptions, 'counters'>;

/** Runs one job as `withRetries` runs a read; only a `ByteSourceError` of the kinds named there is tried again. */
export async function retried<T>(
  place: string,
  outer: AbortSignal,
  options: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const settings: Settings = { ...DEFAULTS, random: Math.random, wait: timer, ...options };
  const deadline = AbortSignal.timeout(settings.deadlineMs);
  const ends = performance.now() + settings.deadlineMs;
  const signal = AbortSignal.any([outer, deadline]);
  for (let tried = 1; ; tried++) {
    try {
      return await attempt(signal);
    } catch (error) {
      if (outer.aborted) throw outer.reason;
      if (deadline.aborted) throw missed(place, settings.deadlineMs, tried, error);
      const delay = tried < settings.attempts && isRetried(error) ? delayBefore(tried, error, settings) : null;
      if (delay === null || performance.now() + delay > ends) throw error;
      if (settings.counters) settings.counters.retries += 1;
      await settings.wait(delay, signal).catch(() => {
        throw outer.aborted ? outer.reason : missed(place, settings.deadlineMs, tried, error);
      });
    }
  }
}

function isRetried(error: unknown): error is ByteSourceError {
  if (!(error instanceof ByteSourceError)) return false;
  return error.kind === 'status' ? RETRIED_STATUSES.has(error.status) : RETRIED_FAULTS.has(error.kind);
}

function delayBefore(
  tried: number,
  error: ByteSourceError,
  { baseMs, maxDelayMs, maxRetryAfterMs, random }: Settings,
): number {
  const jittered = random() * Math.min(maxDelayMs, baseMs * 2 ** (tried - 1));
  return Math.max(jittered, Math.min(error.retryAfterMs ?? 0, maxRetryAfterMs));
}

function missed(place: string, deadlineMs: number, tried: number, cause: unknown): ByteSourceError {
  return new ByteSourceError('timeout', place, `no answer within ${deadlineMs} ms in ${tried} attempts`, { cause });
}

async function timer(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
