import type { Log } from '../../log.ts';
import type { TracesClient } from '../client/open-client.ts';
import type { ClaimedFiling, FilingQueue } from './filing-queue.ts';
import { FILING_TIMES, type FilingTimes } from './filing-times.ts';
import { failure, takeStep } from './take-step.ts';

interface FilerOptions {
  readonly queue: FilingQueue;
  /** The client of a user, or null where no credentials are kept. */
  readonly clientOf: (claimed: ClaimedFiling) => Promise<TracesClient | null>;
  readonly log: Log;
  /** Milliseconds between two looks for what is due. Default 2,000. */
  readonly pollMs?: number;
  readonly times?: Readonly<Record<ClaimedFiling['environment'], FilingTimes>>;
}

interface Filer {
  /** Something was just recorded: look at once. */
  wake(): void;
  /** Begins nothing more, gives running steps `drainMs`, then breaks them off; resolves when all ended. */
  stop(drainMs: number): Promise<void>;
}

/** Steps at the same time; calls still take turns under the rate of the service. */
const STEPS_AT_ONCE = 4;
const RENEW_MS = 15_000;
/** How often recording an outcome is tried, a second apart: the lease lasts longer. */
const RECORD_TRIES = 20;
const NO_CREDENTIALS_MS = 3_600_000;

/** Files what is due until it is stopped. Any number of filers share one database. */
export function startFiler({ queue, clientOf, log, pollMs = 2_000, times = FILING_TIMES }: FilerOptions): Filer {
  const running = new Map<ClaimedFiling, Promise<void>>();
  const stopping = new AbortController();
  const breaking = new AbortController();
  let isWoken = false;
  let interrupt = (): void => {};
  let reachable = true;

  const renewing = setInterval(() => {
    if (running.size > 0) void tryTo(() => queue.renew([...running.keys()]));
  }, RENEW_MS).unref();
  const claiming = claimUntilStopped();

  async function claimUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      const free = STEPS_AT_ONCE - running.size;
      const claimed = free > 0 ? ((await tryTo(() => queue.claim(free))) ?? []) : [];
      for (const filing of claimed) begin(filing);
      if (claimed.length < free || free === 0) await pause();
    }
  }

  function begin(claimed: ClaimedFiling): void {
    const work = workOn(claimed).finally(() => {
      running.delete(claimed);
      wake();
    });
    running.set(claimed, work);
  }

  async function workOn(claimed: ClaimedFiling): Promise<void> {
    if (stopping.signal.aborted) return void (await tryTo(() => queue.giveBack(claimed)));
    const update = await step(claimed).catch((error: unknown) => {
      // Nothing is recorded: the lease ends by itself, and what was handed over is looked for.
      log.error({ err: error, submission: claimed.id }, 'a step of a submission failed');
      return null;
    });
    if (update === null) return;
    for (let i = 0; i < RECORD_TRIES; i++) {
      const recorded = await tryTo(() => queue.record(claimed, update));
      if (recorded !== undefined) break;
      await new Promise((done) => setTimeout(done, 1_000));
    }
    const { state = claimed.state, failure: why } = update;
    log.info(
      { submission: claimed.id, state, change: claimed.change, code: why?.code ?? null },
      'a submission moved on',
    );
  }

  async function step(claimed: ClaimedFiling) {
    const client = await clientOf(claimed);
    if (client === null)
      return {
        failure: failure('credentials_missing', 'No credentials are kept for this environment.'),
        nextMs: NO_CREDENTIALS_MS,
      };
    return takeStep(claimed, { client, queue, times: times[claimed.environment], signal: breaking.signal });
  }

  /** Undefined when the database cannot be reached, which is said once. */
  async function tryTo<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      reachable = true;
      return value;
    } catch (error) {
      if (reachable) log.warn({ err: error }, 'submissions cannot be looked for; trying again');
      reachable = false;
      return undefined;
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        isWoken = false;
        interrupt = () => {};
        resolve();
      };
      const timer = setTimeout(end, pollMs);
      interrupt = end;
      if (isWoken) end();
    });
  }

  function wake(): void {
    isWoken = true;
    interrupt();
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
      clearInterval(renewing);
    },
  };
}
