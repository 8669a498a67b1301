/** Work of which only so much is done at the same time. */
export interface Turns {
  /** Does the work when its turn has come, first come first served; a caller that gives up leaves the queue. */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Lets `most` callers work at the same time; the others wait. */
export function createTurns(most: number): Turns {
  const waiting = new Set<() => void>();
  let working = 0;

  async function begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (working < most) {
      working++;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      waiting.delete(give);
      reject(signal.reason as Error);
    };
    waiting.add(give);
    signal.addEventListener('abort', giveUp, { once: true });
    await promise;
  }

  /** The turn goes on to the next in line, without being free in between. */
  function end(): void {
    const [next] = waiting;
    if (next === undefined) {
      working--;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async take(work, signal) {
      await begin(signal);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
