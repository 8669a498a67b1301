import { createPauses } from '../claim-loop.ts';
import { type AttemptOutcome, FINAL_REASONS } from './delivery.ts';
import type { ClaimedDelivery, DeliveryQueue, DueUser } from './delivery-queue.ts';
import { recordInBatches } from './record-in-batches.ts';
import { sendDelivery, type SendParts, type SentDelivery } from './send-delivery.ts';
import { createSlots, QUICK_MS, SLOT_LIMITS, type SlotLimits } from './slots.ts';

interface SenderOptions extends SendParts {
  readonly queue: DeliveryQueue;
  /** Hears of every attempt; default nobody. */
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
  /** Default: `SLOT_LIMITS`. */
  readonly slots?: SlotLimits;
}

export interface Sender {
  /** Something was just recorded, or its transaction is about to commit: look at once and again within a moment. */
  wake(): void;
  /** One attempt of a delivery this process has claimed already, recorded; null when the sender is stopping. */
  sendNow(delivery: ClaimedDelivery): Promise<AttemptOutcome | null>;
  /** Requests on their way, and why the database could not be queried the last time, or null. */
  status(): { readonly sending: number; readonly fault: string | null };
  /** Claims nothing more, gives requests `drainMs`, then breaks them off and gives them back. */
  stop(drainMs: number): Promise<void>;
}

/** Milliseconds between two looks: after a wake, while there is traffic, and when it is quiet. */
const EAGER_MS = 15;
const CLAIM_EVERY_MS = 5;
/** A look is believed for this long; users that come meanwhile wait for the next one. */
const LOOK_EVERY_MS = 40;
/** Deliveries of one user that a look counts. */
const LOOK_AHEAD = 32;
const ACTIVE_MS = 100;
const QUIET_MS = 1_250;
const EAGER_FOR_MS = 500;
const ACTIVE_FOR_MS = 5_000;
/** A claim whose answer took longer than this is not used: its lease may end before the attempt does. */
const STALE_CLAIM_MS = 5_000;
/** A database without an answer holds up the end of the process no longer than this: the leases end by themselves. */
const DATABASE_GRACE_MS = 5_000;
const PROBE_MS = 30_000;
const DELETE_MS = 600_000;

/** Sends due deliveries until it is stopped. Any number of senders share one database. */
export function startSender(options: SenderOptions): Sender {
  const { queue, log, onAttempt = () => {} } = options;
  const slots = createSlots(options.slots ?? SLOT_LIMITS);
  const stopping = new AbortController();
  const breaking = new AbortController();
  const recorder = recordInBatches((outcomes) => queue.record(outcomes), log, breaking.signal);
  const running = new Set<Promise<unknown>>();
  let eagerUntil = 0;
  let activeUntil = 0;
  let fault: string | null = null;
  const pauses = createPauses(QUIET_MS);
  let cursor = '';
  /** What the last look found and is not claimed yet. */
  const due = new Map<string, DueUser>();
  let lookAfter = 0;

  const claiming = claimUntilStopped();
  const chores = [every(PROBE_MS, () => queue.releaseProbes()), every(DELETE_MS, () => queue.deleteExpired())];

  async function claimUntilStopped(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted;) {
      try {
        const pauseMs = await claimRound();
        fault = null;
        failures = 0;
        if (pauseMs > 0) await pauses.pause(pauseMs);
      } catch (error) {
        if (fault === null) log.warn({ err: error }, 'webhook deliveries cannot be looked for; trying again');
        fault = (error as Error).message;
        await pauses.pause(Math.min(250 * 2 ** failures++, 5_000));
      }
    }
  }

  /** One look or claim; returns how long to wait for something to change before the next round. */
  async function claimRound(): Promise<number> {
    const now = performance.now();
    if (slots.free === 0) return ACTIVE_MS;
    if (due.size === 0 || now >= lookAfter) {
      if (due.size === 0 && now < lookAfter && cursor === '') return Math.min(lookAfter - now, EAGER_MS);
      const idle = await look(now);
      if (idle > 0) return idle;
    }
    const wanted = slots.plan([...due.values()]);
    if (wanted.length > 0) return claim(wanted);
    if (cursor !== '') due.clear();
    return cursor === '' ? Math.max(1, lookAfter - performance.now()) : 0;
  }

  /** Looks for users with something to send, from where the last look ended; returns how long to rest when there are none. */
  async function look(now: number): Promise<number> {
    if (cursor === '' && due.size === 0) {
      const dueMs = await queue.nextDueMs();
      if (dueMs === null || dueMs > 0) return Math.ceil(Math.min(idleMs(now), dueMs ?? QUIET_MS));
    }
    const page = await queue.findDue(cursor, LOOK_AHEAD);
    cursor = page.next ?? '';
    due.clear();
    for (const user of page.users) due.set(user.userId, user);
    lookAfter = performance.now() + LOOK_EVERY_MS;
    return 0;
  }

  async function claim(wanted: readonly Wanted[]): Promise<number> {
    const queriedAt = performance.now();
    const claimed = await queue.claim(wanted);
    takeOff(due, wanted, claimed);
    if (claimed.length === 0) return 0;
    activeUntil = performance.now() + ACTIVE_FOR_MS;
    if (performance.now() - queriedAt > STALE_CLAIM_MS || stopping.signal.aborted) {
      await queue.giveBack(claimed);
      return 0;
    }
    for (const delivery of claimed) begin(delivery);
    // So that slots that come free meanwhile are filled together.
    await new Promise((resolve) => setTimeout(resolve, CLAIM_EVERY_MS));
    return 0;
  }

  function idleMs(now: number): number {
    if (now < eagerUntil) return EAGER_MS;
    return now < activeUntil ? ACTIVE_MS : QUIET_MS;
  }

  function begin(delivery: ClaimedDelivery): void {
    slots.take(delivery);
    const attempt = send(delivery)
      .catch((error: unknown) => {
        // The lease ends by itself, and another attempt follows.
        log.error({ err: error, delivery: delivery.id }, 'a webhook delivery met an error of the sender');
        return null;
      })
      .then((outcome) => {
        slots.release(delivery, outcome !== null && outcome.reason === null && outcome.durationMs < QUICK_MS);
        pauses.wake();
      });
    track(attempt);
  }

  /** Sends and records; the slot is held until the outcome is written, so that a database at rest stops the claims. */
  async function send(delivery: ClaimedDelivery): Promise<AttemptOutcome | null> {
    const begun = performance.now();
    const sent: SentDelivery | null = await sendDelivery(delivery, options, breaking.signal);
    if (sent === null) {
      await queue.giveBack([delivery]);
      return null;
    }
    onAttempt(sent.outcome);
    const startedAt = new Date(delivery.claimedAt.getTime() + (performance.now() - begun) - sent.outcome.durationMs);
    const { reason, status } = sent.outcome;
    if (reason !== null)
      log.info({ delivery: delivery.id, attempt: delivery.attempt, reason, status }, 'a webhook attempt failed');
    await recorder.add({ delivery, startedAt, ...sent, final: reason !== null && FINAL_REASONS.has(reason) });
    return sent.outcome;
  }

  function track(work: Promise<unknown>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  function every(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
    return setInterval(() => {
      track(work().catch((error: unknown) => log.warn({ err: error }, 'a chore of the webhook sender failed')));
    }, ms);
  }

  async function stop(drainMs: number): Promise<void> {
    stopping.abort();
    for (const chore of chores) clearInterval(chore);
    pauses.wake();
    const timer = setTimeout(() => breaking.abort(), drainMs);
    let giveUp: NodeJS.Timeout | undefined;
    const given = new Promise((resolve) => (giveUp = setTimeout(resolve, drainMs + DATABASE_GRACE_MS)));
    await Promise.race([claiming.then(() => Promise.allSettled(running)), given]);
    clearTimeout(timer);
    clearTimeout(giveUp);
    options.poster.close();
  }

  let stopped: Promise<void> | null = null;
  return {
    wake() {
      eagerUntil = performance.now() + EAGER_FOR_MS;
      lookAfter = 0;
      pauses.wake();
    },
    async sendNow(delivery) {
      const attempt = send(delivery);
      track(attempt.catch(() => {}));
      return attempt;
    },
    status: () => ({ sending: slots.used, fault }),
    stop: (drainMs) => (stopped ??= stop(drainMs)),
  };
}

interface Wanted {
  readonly userId: string;
  readonly count: number;
}

/** Takes what was claimed off what is due. */
function takeOff(due: Map<string, DueUser>, wanted: readonly Wanted[], claimed: readonly ClaimedDelivery[]): void {
  const counts = new Map<string, number>();
  for (const { userId } of claimed) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  for (const { userId, count } of wanted) {
    const user = due.get(userId);
    due.delete(userId);
    // Fewer than there were: another process has them. The rest goes to the end, so that users take turns.
    const left = (user?.due ?? 0) - count;
    if (user !== undefined && left > 0 && counts.get(userId) === count) due.set(userId, { ...user, due: left });
  }
}
