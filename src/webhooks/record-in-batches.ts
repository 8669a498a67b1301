import type { Log } from '../log.ts';
import type { DeliveryQueue, RecordedOutcome } from './delivery-queue.ts';

interface Recorder {
  /** Resolves when the outcome is written, or was given up after an error that no repetition can mend. */
  add(outcome: RecordedOutcome): Promise<void>;
}

interface Waiting {
  readonly outcome: RecordedOutcome;
  readonly done: () => void;
}

/** Outcomes that come within this are written together. */
const WINDOW_MS = 2;
const MAX_BATCH = 250;
/** Batches written at the same time: while one waits for the disk the next one is on its way. */
const WRITERS = 2;
const RETRY_MS = [100, 250, 500, 1_000] as const;
/** Tries of one outcome alone with a database that answers. */
const MAX_TRIES = 5;
/** Not reached, a full disk or memory (SQLSTATE 53), or read only, as after a failover (25006). */
const PASSING_FAULT = /^(dependency_unavailable$|53|25006$)/;

/**
 * Writes outcomes in batches. A database that cannot be reached or takes no writes is tried again until it does: the
 * token decides then whether the outcome still counts. Once `signal` aborts nothing is tried again: the leases end.
 */
export function recordInBatches(record: DeliveryQueue['record'], log: Log, signal: AbortSignal): Recorder {
  const waiting: Waiting[] = [];
  let writers = 0;

  async function run(): Promise<void> {
    writers++;
    await pause(WINDOW_MS);
    while (waiting.length > 0) await write(waiting.splice(0, MAX_BATCH));
    writers--;
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        await record(batch.map(({ outcome }) => outcome));
        break;
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, 'outcomes of webhook deliveries cannot be written; trying again');
        if (signal.aborted) break;
        const hopeless = !isUnavailable(error) && failures + 1 >= MAX_TRIES;
        if (hopeless && batch.length > 1) {
          for (const one of batch) await write([one]);
          return;
        }
        if (hopeless) {
          log.error({ err: error, delivery: batch[0]?.outcome.delivery.id }, 'an outcome cannot be written');
          break;
        }
        await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number);
      }
    }
    for (const { done } of batch) done();
  }

  return {
    add(outcome) {
      return new Promise((done) => {
        waiting.push({ outcome, done });
        if (writers < WRITERS) void run();
      });
    },
  };
}

function isUnavailable(error: unknown): boolean {
  return PASSING_FAULT.test(String((error as { code?: unknown } | null)?.code));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
