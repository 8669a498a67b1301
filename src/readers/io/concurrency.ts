import type { ByteSource } from './byte-source.ts';

/** Lets a bounded number of jobs run at the same time; the others wait in the order they came. */
export interface Gate {
  run<T>(signal: AbortSignal, job: () => Promise<T>): Promise<T>;
}

/** One gate for each host, shared by every source on it. `maxPerHost` jobs run at the same time. */
export function createHostGates(maxPerHost: number): (source: ByteSource) => Gate {
  const gates = new Map<string, Gate>();
  return ({ id }) => {
    const host = URL.parse(id)?.host ?? '';
    const gate = gates.get(host) ?? createGate(maxPerHost);
    gates.set(host, gate);
    return gate;
  };
}

/** Bounds how many reads run at once through the gate. A read that is aborted while it waits leaves the queue. */
export function withConcurrency(source: ByteSource, gate: Gate): ByteSource {
  return {
    id: source.id,
    stat: (options) => gate.run(options.signal, () => source.stat(options)),
    fetch: (offset, length, options) => gate.run(options.signal, () => source.fetch(offset, length, options)),
  };
}

export function createGate(max: number): Gate {
  if (!Number.isInteger(max) || max < 1) throw new RangeError(`wanted a whole number of jobs from 1, got ${max}`);
  const waiting = new Set<() => void>();
  let running = 0;

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < max) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      waiting.delete(resolve);
      reject(signal.reason);
    };
    waiting.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** The place of a finished job goes to the one that has waited longest; `running` stays as it is then. */
  function exit(): void {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async run(signal, job) {
      await enter(signal);
      try {
        return await job();
      } finally {
        exit();
      }
    },
  };
}
