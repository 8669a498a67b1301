import { ByteSourceError } from '../io/byte-error.ts';

/** Time for one call of an embedding source (`at`, `phase`, `window`, `rasters`), all requests of it together, in milliseconds. */
export const DEFAULT_DEADLINE_MS = 30_000;

/**
 * Runs a job that must end within `ms`: a `ByteSourceError` of kind `timeout` after that, whether the job heeds its signal
 * or not. Rejects with the caller's reason when the caller aborts.
 */
export async function withinDeadline<T>(
  ms: number,
  place: string,
  signal: AbortSignal,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([signal, deadline]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(either.reason);
  either.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([job(either), ended]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (deadline.aborted) throw new ByteSourceError('timeout', place, `no answer within ${ms} ms`, { cause: error });
    throw error;
  } finally {
    either.removeEventListener('abort', onAbort);
  }
}
