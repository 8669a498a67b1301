import type { MaybePromise } from './maybe-promise.ts';

/** A source that was passed over, and what it threw. */
export interface SourceFailure<S> {
  readonly source: S;
  readonly error: unknown;
}

interface FirstAnswerOptions<S> {
  /** Takes the failures of sources that are passed over. Without it the first failure ends the search. */
  readonly failures?: SourceFailure<S>[] | undefined;
  /** Once it is aborted a failure ends the search whatever `failures` says: what fails then fails because it was stopped. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Queries sources in their order: the first with an answer ends the search, null is "nothing here, query the next". Null when
 * none has one. Sources that answer at once are queried at once, without a promise.
 *
 * Throws or rejects with what a source threw, as far as `options` do not pass it over.
 */
export function firstAnswer<S, T>(
  sources: readonly S[],
  query: (source: S, index: number) => MaybePromise<T | null>,
  options: FirstAnswerOptions<S> = END_AT_FAILURE,
): MaybePromise<T | null> {
  return queryFrom(0, sources, query, options);
}

const END_AT_FAILURE = {};

/**
 * The same, with failures passed over only where a later source answers: `note` may then add to that answer what the first
 * failure was. With no answer at all the first failure is thrown.
 */
export function firstAnswerOrFailure<S, T>(
  sources: readonly S[],
  query: (source: S, index: number) => MaybePromise<T | null>,
  {
    signal,
    note,
  }: { readonly signal?: AbortSignal; readonly note?: (answer: T, failure: SourceFailure<S>) => T } = END_AT_FAILURE,
): MaybePromise<T | null> {
  const failures: SourceFailure<S>[] = [];
  const settle = (answer: T | null): T | null => {
    if (failures.length === 0) return answer;
    if (answer === null) throw failures[0].error;
    return note === undefined ? answer : note(answer, failures[0]);
  };
  const answer = queryFrom(0, sources, query, { failures, signal });
  return answer instanceof Promise ? answer.then(settle) : settle(answer);
}

function queryFrom<S, T>(
  from: number,
  sources: readonly S[],
  query: (source: S, index: number) => MaybePromise<T | null>,
  options: FirstAnswerOptions<S>,
): MaybePromise<T | null> {
  for (let i = from; i < sources.length; i++) {
    try {
      const answer = query(sources[i], i);
      if (answer instanceof Promise) return queryAfter(answer, i, sources, query, options);
      if (answer !== null) return answer;
    } catch (error) {
      passOver(sources[i], error, options);
    }
  }
  return null;
}

async function queryAfter<S, T>(
  pending: Promise<T | null>,
  i: number,
  sources: readonly S[],
  query: (source: S, index: number) => MaybePromise<T | null>,
  options: FirstAnswerOptions<S>,
): Promise<T | null> {
  try {
    const answer = await pending;
    if (answer !== null) return answer;
  } catch (error) {
    passOver(sources[i], error, options);
  }
  return queryFrom(i + 1, sources, query, options);
}

function passOver<S>(source: S, error: unknown, { failures, signal }: FirstAnswerOptions<S>): void {
  if (failures === undefined || signal?.aborted) throw error;
  failures.push({ source, error });
}
