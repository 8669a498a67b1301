/**
 * An answer now or later. Most answers come from memory: over millions of rows a promise for each would cost more than the
 * answer, so what is there is used at once and only what is not is waited for.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with an answer at once where it is there, else when it comes. A rejection passes by `follow`. */
export function whenReady<T, R>(answer: MaybePromise<T>, follow: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return answer instanceof Promise ? answer.then(follow) : follow(answer);
}
