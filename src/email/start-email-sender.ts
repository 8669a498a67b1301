import { createHash } from 'node:crypto';
import type { Log } from '../log.ts';
import { composeMessage, type MessageParts } from './compose-message.ts';
import { type ClaimedEmail, EMAIL_RETRY_DELAYS_S, type EmailOutcome, type EmailQueue } from './email-queue.ts';
import type { Mailbox } from './email.ts';
import type { Smtp } from './open-smtp.ts';
import { HOUR_MS } from '../durations.ts';

interface EmailSenderOptions {
  readonly queue: EmailQueue;
  readonly smtp: Smtp;
  readonly from: Mailbox;
  readonly log: Log;
  /** Emails sent at the same time. Default {@link EMAILS_AT_ONCE}. */
  readonly concurrency?: number;
  /** Milliseconds between two looks for due emails. Default 2,000. */
  readonly pollMs?: number;
  /** Default {@link EMAIL_RETRY_DELAYS_S}. */
  readonly retryDelaysS?: readonly number[];
}

export interface EmailSender {
  /** Begins no further email, gives the running ones `drainMs`, then breaks them off; resolves when all ended. */
  stop(drainMs: number): Promise<void>;
}

const EMAILS_AT_ONCE = 4;
const RENEW_MS = 5_000;
const REAP_MS = 5_000;
const DELETE_MS = HOUR_MS;
/** Seconds that recording an outcome is tried for: about as long as the lease lasts. */
const RECORD_TRIES = 20;

/** Sends what is due until it is stopped. Any number of senders share one database. */
export function startEmailSender(options: EmailSenderOptions): EmailSender {
  const {
    queue,
    smtp,
    from,
    log,
    concurrency = EMAILS_AT_ONCE,
    pollMs = 2_000,
    retryDelaysS = EMAIL_RETRY_DELAYS_S,
  } = options;
  const running = new Map<ClaimedEmail, Promise<void>>();
  const stopping = new AbortController();
  const breaking = new AbortController();
  let wake = (): void => {};
  let reachable = true;

  const timers = [
    every(RENEW_MS, () => (running.size > 0 ? queue.renew([...running.keys()]) : Promise.resolve())),
    every(REAP_MS, reap),
    every(DELETE_MS, () => queue.deleteExpired()),
  ];
  const claiming = claim();

  async function claim(): Promise<void> {
    await tryTo(reap);
    while (!stopping.signal.aborted) {
      const free = concurrency - running.size;
      const claimed = free > 0 ? ((await tryTo(() => queue.claim(free, from.domain))) ?? []) : [];
      for (const email of claimed) begin(email);
      if (claimed.length < free || free === 0) await pause();
    }
  }

  function begin(email: ClaimedEmail): void {
    const work = sendOne(email).finally(() => {
      running.delete(email);
      wake();
    });
    running.set(email, work);
  }

  async function sendOne(email: ClaimedEmail): Promise<void> {
    if (stopping.signal.aborted) return void (await tryTo(() => queue.giveBack(email)));
    const outcome = await attempt(email).catch((error: unknown): EmailOutcome => {
      log.error({ err: error, email: email.id }, 'an email could not be made');
      return { result: 'again', detail: (error as Error).message };
    });
    if (outcome.result === 'again' && breaking.signal.aborted) return void (await tryTo(() => queue.giveBack(email)));
    const againAfterS = outcome.result === 'again' ? (retryDelaysS[email.tries - 1] ?? null) : null;
    for (let i = 0; i < RECORD_TRIES; i++) {
      const recorded = await tryTo(() => queue.record(email, { ...outcome, againAfterS }));
      if (recorded !== undefined) break;
      await new Promise((done) => setTimeout(done, 1_000));
    }
    log.info({ email: email.id, result: outcome.result, detail: outcome.detail }, 'email attempted');
  }

  async function attempt(email: ClaimedEmail): Promise<EmailOutcome> {
    const whole = await partsOf(email);
    if (typeof whole === 'string') return { result: 'refused', detail: whole };
    const sent = await transfer(email, whole);
    if (!sent.tooLarge || email.textWithoutAttachments === null || whole.files.length === 0) return sent;
    return transfer(email, { text: email.textWithoutAttachments, files: [] });
  }

  async function transfer(email: ClaimedEmail, parts: MessageParts) {
    const message = await composeMessage(email, from, parts);
    return smtp.send(message, () => queue.markHandedOver(email), breaking.signal);
  }

  /** Text and files, or why they cannot be sent. */
  async function partsOf(email: ClaimedEmail): Promise<MessageParts | string> {
    const files = [];
    for (const { filename, contentType, blobId, sha256 } of email.attachments) {
      const bytes = await queue.readBlob(blobId);
      if (bytes === null) return `the file ${filename} is no longer kept`;
      if (createHash('sha256').update(bytes).digest('hex') !== sha256) return `the file ${filename} was changed`;
      files.push({ filename, contentType, bytes });
    }
    return { text: email.text, files };
  }

  async function reap(): Promise<void> {
    const ended = await queue.reapExpired();
    if (ended > 0) log.warn({ emails: ended }, 'emails of a lost sender were taken back');
  }

  /** Undefined when the database cannot be reached, which is said once. */
  async function tryTo<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      reachable = true;
      return value;
    } catch (error) {
      if (reachable) log.warn({ err: error }, 'the outbox cannot be reached; trying again');
      reachable = false;
      return undefined;
    }
  }

  function every(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
    return setInterval(() => void tryTo(work), ms).unref();
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    async stop(drainMs) {
      stopping.abort();
      wake();
      await claiming;
      const giveUp = setTimeout(() => breaking.abort(new Error('the service is stopping')), drainMs);
      await Promise.allSettled(running.values());
      clearTimeout(giveUp);
      for (const timer of timers) clearInterval(timer);
      smtp.close();
    },
  };
}
