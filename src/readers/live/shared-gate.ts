import { createGate, type Gate } from '../io/concurrency.ts';

/** Cells of a service's state: a counter that changes when a place is given back, then one cell a place. */
const TURN = 0;
const FIRST_PLACE = 1;
/** Waiting threads look again this often, in case the thread that held a place died with it. */
const LOOK_AGAIN_MS = 200;

/** The memory of a gate with so many places, for every thread of the process to share. */
export function createGateState(places: number): SharedArrayBuffer {
  return new SharedArrayBuffer(8 * (FIRST_PLACE + places));
}

interface SharedGateOptions {
  /** Longest a job may take, in milliseconds: a place held longer is taken for lost with its thread, and given to the next. */
  readonly leaseMs: number;
  /** Milliseconds since 1970, the same in every thread; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Lets a bounded number of jobs run at the same time over all threads that share `state`. Jobs of one thread have their
 * turn in the order they came. A place of a thread that was ended is free again after its lease.
 */
export function sharedGate(state: SharedArrayBuffer, { leaseMs, now = Date.now }: SharedGateOptions): Gate {
  const cells = new BigInt64Array(state);
  const own = createGate(cells.length - FIRST_PLACE);

  /** A free place, held until the moment returned with it; null when there is none. */
  function take(): readonly [cell: number, until: bigint] | null {
    const at = BigInt(now());
    const until = at + BigInt(leaseMs);
    for (let cell = FIRST_PLACE; cell < cells.length; cell++) {
      const held = Atomics.load(cells, cell);
      if (held <= at && Atomics.compareExchange(cells, cell, held, until) === held) return [cell, until];
    }
    return null;
  }

  async function enter(signal: AbortSignal): Promise<readonly [cell: number, until: bigint]> {
    for (;;) {
      signal.throwIfAborted();
      const turn = Atomics.load(cells, TURN);
      const place = take();
      if (place !== null) return place;
      await Atomics.waitAsync(cells, TURN, turn, LOOK_AGAIN_MS).value;
    }
  }

  function leave([cell, until]: readonly [cell: number, until: bigint]): void {
    Atomics.compareExchange(cells, cell, until, 0n);
    Atomics.add(cells, TURN, 1n);
    Atomics.notify(cells, TURN, 1);
  }

  return {
    run: (signal, job) =>
      own.run(signal, async () => {
        const place = await enter(signal);
        try {
          return await job();
        } finally {
          leave(place);
        }
      }),
  };
}
