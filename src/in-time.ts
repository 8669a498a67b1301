/**
 * What work gives when it is done within so many milliseconds; else it rejects with what `late` makes. The work itself goes on,
 * and what becomes of it later is nobody's unhandled rejection.
 */
export function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
