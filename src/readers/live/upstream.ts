import type { Dispatcher } from 'undici';
import { Problem } from '../../errors.ts';
import { ByteSourceError } from '../io/byte-error.ts';
import { retried, type RetryOptions } from '../io/retries.ts';
import { createShared } from '../io/share.ts';
import type { AnswerCache, CachedAnswer } from './answer-cache.ts';
import { createBreaker, createBreakerState, type BreakerOptions } from './circuit-breaker.ts';
import { createGateState, sharedGate } from './shared-gate.ts';
import { sendUpstream, type UpstreamRequest } from './upstream-request.ts';

/** What statuses mean to the one who reads the receipt. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'it did not understand the request',
  401: 'it does not accept the key',
  402: 'the allowance of the plan is used up',
  403: 'it does not accept the key',
  404: 'there is nothing at its address',
  408: 'it timed out',
  429: 'too many requests',
};

/** What the threads of a process share about one service. */
export interface UpstreamState {
  readonly gate: SharedArrayBuffer;
  readonly breaker: SharedArrayBuffer;
}

export interface UpstreamOptions {
  /** How messages call the service. */
  readonly name: string;
  /** Time for one question, waits and retries included, in milliseconds. */
  readonly deadlineMs: number;
  /** Time for one attempt; default the deadline. */
  readonly attemptMs?: number;
  /** Longest answer, in bytes; default 4,194,304. */
  readonly maxBytes?: number;
  /** From `createUpstreamState`. */
  readonly state: UpstreamState;
  /** Where answers are kept; null keeps none. */
  readonly cache: AnswerCache | null;
  /** Age up to which a kept answer is given without a query, in milliseconds. */
  readonly freshMs: number;
  /** Age up to which it is given when the service fails, in milliseconds. */
  readonly staleMs: number;
  /** How long a 429 without `Retry-After` means, in milliseconds; null when that cannot be learnt. */
  readonly quietMs?: (signal: AbortSignal) => Promise<number | null>;
  readonly breaker?: BreakerOptions;
  readonly retries?: Omit<RetryOptions, 'deadlineMs' | 'counters'>;
  readonly dispatcher?: Dispatcher;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

/** A question: the request, and a name for it that holds everything the answer depends on and nothing secret. */
export interface UpstreamQuestion<T> extends UpstreamRequest {
  readonly key: string;
  /**
   * Takes what is wanted out of the JSON. Throws `ByteSourceError('refused' | 'status')` for a body that is an error in
   * spite of its status, and anything for one that is not what the service promises.
   */
  readonly read: (body: unknown) => T;
  /** Throws `ByteSourceError('refused')` for a body that is an error in a form of its own, before it is read as JSON. */
  readonly refuse?: (text: string) => void;
}

export interface UpstreamAnswer<T> {
  readonly value: T;
  /** Milliseconds since 1970. */
  readonly retrievedAt: number;
  /** Milliseconds since then; 0 when it was queried just now. */
  readonly ageMs: number;
  /** Why the service itself did not answer, where a kept answer stands in for it. */
  readonly failure: Problem | null;
}

export interface Upstream {
  readonly name: string;
  /** @throws `Problem` in words for clients, the failure itself as its cause; the reason of `signal` when it aborts. */
  query<T>(question: UpstreamQuestion<T>, signal: AbortSignal): Promise<UpstreamAnswer<T>>;
}

const MAX_BYTES = 4_194_304;
/** Beyond the deadline of a question its place at the service is taken for lost. */
const LEASE_SPARE_MS = 1_000;

export function createUpstreamState(concurrency: number): UpstreamState {
  return { gate: createGateState(concurrency), breaker: createBreakerState() };
}

/**
 * A live service queried with care: kept answers first, one request for equal questions, so many requests at a time over
 * all threads, retries with jitter that honour `Retry-After`, one deadline over everything, and a breaker that leaves a
 * failing service alone. A kept answer that is no longer fresh stands in when the service fails.
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { name, deadlineMs, state, cache, freshMs, staleMs, now = Date.now } = options;
  const gate = sharedGate(state.gate, { leaseMs: deadlineMs + LEASE_SPARE_MS });
  const breaker = createBreaker(state.breaker, { now, ...options.breaker });
  const shared = createShared<string>();
  const sending = { maxBytes: MAX_BYTES, attemptMs: deadlineMs, ...options };

  /** One attempt, read to the end; 429 learns how long it means. */
  async function attempt(question: UpstreamQuestion<unknown>, signal: AbortSignal): Promise<string> {
    try {
      const text = await sendUpstream(question, sending, signal);
      parse(name, question, text);
      return text;
    } catch (error) {
      if (!(error instanceof ByteSourceError) || error.status !== 429 || error.retryAfterMs !== null) throw error;
      const quiet = (await options.quietMs?.(signal).catch(() => null)) ?? null;
      if (quiet === null) throw error;
      throw new ByteSourceError('status', name, error.message, { status: 429, retryAfterMs: quiet, cause: error });
    }
  }

  async function fetch(question: UpstreamQuestion<unknown>, signal: AbortSignal): Promise<string> {
    leaveAlone(name, breaker.leftAloneMs());
    let begun = false;
    const turn = (inner: AbortSignal) =>
      gate.run(inner, () => {
        leaveAlone(name, breaker.refuses());
        begun = true;
        return attempt(question, inner);
      });
    try {
      const text = await retried(name, signal, { ...options.retries, deadlineMs }, turn);
      breaker.succeeded();
      return text;
    } catch (error) {
      if (signal.aborted || error instanceof Problem) throw error;
      if (!begun)
        throw new Problem(
          'dependency_unavailable',
          `${name} was busy with other facilities for ${seconds(deadlineMs)}`,
        );
      if (!isOwnFault(error)) breaker.failed(error instanceof ByteSourceError ? error.retryAfterMs : null);
      throw describeFailure(name, error);
    }
  }

  return {
    name,
    async query(question, signal) {
      const kept = await cachedAnswer(question, cache);
      const age = kept === null ? Infinity : now() - kept.retrievedAt;
      if (kept !== null && age <= freshMs) return { ...kept, ageMs: Math.max(0, age), failure: null };
      try {
        const body = await shared(question.key, signal, (inner) => fetch(question, inner));
        const retrievedAt = now();
        await cache?.put(question.key, { body, retrievedAt });
        return { value: parse(name, question, body), retrievedAt, ageMs: 0, failure: null };
      } catch (error) {
        if (signal.aborted || kept === null || age > staleMs) throw error;
        return { ...kept, ageMs: age, failure: describeFailure(name, error) };
      }
    },
  };
}

/** A kept answer that still reads as one, or null. */
async function cachedAnswer<T>(
  question: UpstreamQuestion<T>,
  cache: AnswerCache | null,
): Promise<{ readonly value: T; readonly retrievedAt: number } | null> {
  const kept: CachedAnswer | null = (await cache?.get(question.key)) ?? null;
  if (kept === null) return null;
  try {
    return { value: question.read(JSON.parse(kept.body)), retrievedAt: kept.retrievedAt };
  } catch {
    return null;
  }
}

function parse<T>(name: string, { read, refuse }: UpstreamQuestion<T>, text: string): T {
  try {
    refuse?.(text);
    return read(JSON.parse(text));
  } catch (error) {
    if (error instanceof ByteSourceError) throw error;
    throw new ByteSourceError('refused', name, 'answered with something that is not what it promises', {
      cause: error,
    });
  }
}

function leaveAlone(name: string, forMs: number | null): void {
  if (forMs !== null)
    throw new Problem('dependency_unavailable', `${name} failed before and is left alone for ${seconds(forMs)}`);
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/**
 * A failure as clients may read it: the service and what it did, in our own words. What the service wrote itself may hold
 * keys and addresses, and stays with the cause for the log.
 */
function describeFailure(name: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('dependency_unavailable', `${name} ${sentence(error)}`, { cause: error });
}

/** Failures that say nothing about the service: the request itself was at fault. */
function isOwnFault(error: unknown): boolean {
  return error instanceof ByteSourceError && [400, 404, 413, 414, 422].includes(error.status ?? 0);
}

function sentence(error: unknown): string {
  if (!(error instanceof ByteSourceError)) return 'failed in an unexpected way';
  const { kind, status, cause } = error;
  if (kind === 'status' && status !== null) return `answered with status ${status} (${wordsOf(status)})`;
  if (kind === 'timeout') {
    const last =
      cause instanceof ByteSourceError && cause.kind === 'status' ? `; last it answered ${cause.status}` : '';
    return `gave ${error.message.slice(error.message.indexOf(': ') + 2)}${last}`;
  }
  if (kind === 'refused') return error.message.slice(error.message.indexOf(': ') + 2);
  if (kind === 'too_large') return 'answered with more bytes than are read';
  if (kind === 'redirect') return `answered with a redirect (status ${status}), which is not followed`;
  if (kind === 'encoded') return 'answered in a compression that was not requested';
  return 'could not be reached';
}

function wordsOf(status: number): string {
  return STATUS_WORDS[status] ?? (status >= 500 ? 'it failed' : 'it refused the request');
}
