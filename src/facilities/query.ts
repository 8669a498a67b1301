import { Problem } from '../errors.ts';
import type { UnknownCause } from './evidence/evidence.ts';
import type { Answer, DatasetRef, FacilitySources, MaybeAnswer } from './sources.ts';
import { word, type Said } from '../messages/said.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Shape } from '../geo/shapes/shape.ts';
import type { FacilityOptions } from './options.ts';

/** The result of a query to a source: its answer, or why there is none. */
export type QueryResult<T> = Answered<T> | Unknown;

interface Answered<T> {
  readonly dataset: DatasetRef;
  readonly value: T;
}

export interface Unknown {
  readonly dataset: null;
  readonly cause: UnknownCause;
  /** Why, without a full stop and without anything secret; nothing when no dataset covers the place. */
  readonly reason: Said;
}

/** Queries one source. Never throws and never rejects: a failure and a missed deadline are answers too. */
export type Query = <T>(what: string, call: (signal: AbortSignal) => MaybeAnswer<T>) => MaybePromise<QueryResult<T>>;

interface QueryOptions {
  /** Milliseconds a source has from the moment it is queried. */
  readonly timeoutMs: number;
  /** Stops every query at once. */
  readonly signal: AbortSignal;
  /** Called with every failure as it was thrown, for the log. */
  readonly reportFailure?: ((what: string, error: unknown) => void) | undefined;
}

/**
 * Queries the sources of one facility. Each query has its own signal and deadline, but a timer starts only for
 * a source that answers with a promise: one that answers at once costs neither, and its unused signal serves the next.
 */
export function createQuery(options: QueryOptions): Query {
  let spare: AbortController | null = null;

  return (what, call) => {
    const controller = spare ?? new AbortController();
    spare = null;
    try {
      const answer = call(controller.signal);
      if (answer instanceof Promise) return settle(what, answer, controller, options);
      spare = controller;
      return answer ?? NOT_COVERED;
    } catch (error) {
      return failed(what, error, options);
    }
  };
}

export const NO_REASON = word('reason.none', '');

const NOT_COVERED: Unknown = { dataset: null, cause: 'not_covered', reason: NO_REASON };

function settle<T>(
  what: string,
  pending: Promise<Answer<T> | null>,
  controller: AbortController,
  options: QueryOptions,
): Promise<QueryResult<T>> {
  const { timeoutMs, signal } = options;
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (result: QueryResult<T>): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const timer = setTimeout(() => {
      options.reportFailure?.(what, new Problem('dependency_unavailable', `no answer within ${timeoutMs} ms`));
      const reason = {
        code: 'reason.late',
        params: { timeout: timeoutMs },
        message: `no answer within ${timeoutMs} ms`,
      };
      finish({ dataset: null, cause: 'failed', reason });
      controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
    }, timeoutMs);
    const stop = (): void => {
      finish({ dataset: null, cause: 'failed', reason: word('reason.stopped', 'the request was stopped') });
      controller.abort(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    pending.then(
      (answer) => finish(answer ?? NOT_COVERED),
      // What fails because it was stopped has been reported already.
      (error: unknown) => (isOver ? undefined : finish(failed(what, error, options))),
    );
  });
}

function failed(what: string, error: unknown, options: QueryOptions): Unknown {
  options.reportFailure?.(what, error);
  return { dataset: null, cause: 'failed', reason: publicReason(error) };
}

/**
 * What a client may know of a failure. A `Problem` is written for clients; any other message may hold an address with a
 * key in it, so only the error's code or name is passed on.
 */
function publicReason(error: unknown): Said {
  if (error instanceof Problem) return word('reason.source_failed', error.message.replace(/\.$/, ''));
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  for (const text of [code, name])
    if (typeof text === 'string' && /^[A-Za-z][A-Za-z0-9_]{2,40}$/.test(text))
      return { code: 'reason.source_failed_by', params: { error: text }, message: `the source failed (${text})` };
  return word('reason.source_failed', 'the source failed');
}

/** What every check of one facility is given. */
export interface CheckContext {
  readonly shape: Shape;
  readonly options: FacilityOptions;
  readonly sources: FacilitySources;
  readonly query: Query;
}
