import { type ClaimLoop, startClaimLoop } from '../../claim-loop.ts';
import type { Log } from '../../log.ts';
import type { TracesClient } from '../client/open-client.ts';
import type { ClaimedFiling, FilingQueue, FilingUpdate } from './filing-queue.ts';
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

/** Steps at the same time; calls still take turns under the rate of the service. */
const STEPS_AT_ONCE = 4;
const RENEW_MS = 15_000;
const NO_CREDENTIALS_MS = 3_600_000;

/** Files what is due until it is stopped. Any number of filers share one database. */
export function startFiler({ queue, clientOf, log, pollMs = 2_000, times = FILING_TIMES }: FilerOptions): ClaimLoop {
  async function step(claimed: ClaimedFiling, signal: AbortSignal): Promise<FilingUpdate | null> {
    const client = await clientOf(claimed);
    if (client === null)
      return {
        failure: failure('credentials_missing', 'No credentials are kept for this environment.'),
        nextMs: NO_CREDENTIALS_MS,
      };
    return takeStep(claimed, { client, queue, times: times[claimed.environment], signal });
  }

  return startClaimLoop<ClaimedFiling, FilingUpdate>({
    claim: (count) => queue.claim(count),
    renew: (running) => queue.renew(running),
    giveBack: (claimed) => queue.giveBack(claimed),
    work: (claimed, signal) =>
      step(claimed, signal).catch((error: unknown) => {
        // Nothing is recorded: the lease ends by itself, and what was handed over is looked for.
        log.error({ err: error, submission: claimed.id }, 'a step of a submission failed');
        return null;
      }),
    async record(claimed, update) {
      await queue.record(claimed, update);
      const { state = claimed.state, failure: why } = update;
      const fields = { submission: claimed.id, state, change: claimed.change, code: why?.code ?? null };
      log.info(fields, 'a submission moved on');
    },
    renewMs: RENEW_MS,
    pollMs,
    atOnce: STEPS_AT_ONCE,
    unreachable: 'submissions cannot be looked for; trying again',
    log,
  });
}
