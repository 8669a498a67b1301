import type { Log } from './log.ts';

/** A table of work that becomes due, under leases: what a loop claims, works on and records. `T` is one claimed piece. */
interface ClaimLoopOptions<T, Outcome> {
  /** Leases up to `count` pieces that are due. */
  readonly claim: (count: number) => Promise<readonly T[]>;
  /** Prolongs the leases of what is at work. */
  readonly renew: (running: readonly T[]) => Promise<unknown>;
  /** As if the claim had not been made: for what was claimed or broken off while the loop was stopped. */
  readonly giveBack: (piece: T) => Promise<unknown>;
  /**
   * The work itself; the signal aborts when the time to end it is over. Null: nothing is recorded, and the lease ends by itself.
   * `'give back'`: it was broken off before anything happened.
   */
  readonly work: (piece: T, signal: AbortSignal) => Promise<Outcome | null | 'give back'>;
  readonly record: (piece: T, outcome: Outcome) => Promise<unknown>;
  /** What else is done again and again, with milliseconds between two times; each is done once at the start if `first`. */
  readonly chores?: readonly {
    readonly everyMs: number;
    readonly first?: boolean;
    readonly work: () => Promise<unknown>;
  }[];
  readonly renewMs: number;
  readonly pollMs: number;
  /** Pieces at work at the same time. */
  readonly atOnce: number;
  /** What the log says when the database cannot be reached. */
  readonly unreachable: string;
  readonly log: Log;
}

export interface ClaimLoop {
  /** Something was just recorded: look at once. */
  wake(): void;
  /** Begins nothing more, gives running work `drainMs`, then breaks it off; resolves when all ended. */
  stop(drainMs: number): Promise<void>;
}

/** How often recording an outcome is tried, a second apart: about as long as the leases of those who use this last. */
const RECORD_TRIES = 20;
const RECORD_EVERY_MS = 1_000;

/** Claims, works on and records what is due until it is stopped. Any number of loops in any number of processes share a table. */
export function startClaimLoop<T, Outcome>(options: ClaimLoopOptions<T, Outcome>): ClaimLoop {
  const { log, atOnce, chores = [] } = options;
  const running = new Map<T, Promise<void>>();
  const stopping = new AbortController();
  const breaking = new AbortController();
  const { pause, wake } = createPauses(options.pollMs);
  let isReachable = true;

  const renewing = every(options.renewMs, () =>
    running.size > 0 ? options.renew([...running.keys()]) : Promise.resolve(),
  );
  const timers = [renewing, ...chores.map(({ everyMs, work }) => every(everyMs, work))];
  const claiming = claimUntilStopped();

  async function claimUntilStopped(): Promise<void> {
    for (const { first, work } of chores) if (first === true) await tryTo(work);
    while (!stopping.signal.aborted) {
      const free = atOnce - running.size;
      const claimed = free > 0 ? ((await tryTo(() => options.claim(free))) ?? []) : [];
      for (const piece of claimed) begin(piece);
      if (claimed.length < free || free === 0) await pause();
    }
  }

  function begin(piece: T): void {
    const work = workOn(piece).finally(() => {
      running.delete(piece);
      wake();
    });
    running.set(piece, work);
  }

  async function workOn(piece: T): Promise<void> {
    const outcome = stopping.signal.aborted ? 'give back' : await options.work(piece, breaking.signal);
    if (outcome === 'give back') return void (await tryTo(() => options.giveBack(piece)));
    if (outcome === null) return;
    for (let tries = 0; tries < RECORD_TRIES; tries++) {
      if ((await tryTo(async () => ({ recorded: await options.record(piece, outcome) }))) !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, RECORD_EVERY_MS));
    }
  }

  /** Undefined when the database cannot be reached, which is said once. */
  async function tryTo<R>(work: () => Promise<R>): Promise<R | undefined> {
    try {
      const value = await work();
      isReachable = true;
      return value;
    } catch (error) {
      if (isReachable) log.warn({ err: error }, options.unreachable);
      isReachable = false;
      return undefined;
    }
  }

  function every(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
    return setInterval(() => void tryTo(work), ms).unref();
  }

  return {
    wake,
    async stop(drainMs) {
      stopping.abort();
      wake();
      await claiming;
      const giveUp = setTimeout(() => breaking.abort(new Error('the service is stopping')), drainMs);
      await Promise.allSettled(running.values());
      clearTimeout(giveUp);
      for (const timer of timers) clearInterval(timer);
    },
  };
}

interface Pauses {
  /** Waits `forMs`, or as long as usual, unless `wake` was called since the last pause. */
  pause(forMs?: number): Promise<void>;
  /** Something may be there: the pause ends, or the next one does at once. */
  wake(): void;
}

/** Pauses between looks for work. What is reported while a look is under way may be newer than that look, and is not lost. */
export function createPauses(ms: number): Pauses {
  let isWoken = false;
  let interrupt = (): void => {};
  return {
    pause: (forMs = ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          isWoken = false;
          interrupt = () => {};
          resolve();
        };
        const timer = setTimeout(end, forMs);
        interrupt = end;
        if (isWoken) end();
      }),
    wake() {
      isWoken = true;
      interrupt();
    },
  };
}
