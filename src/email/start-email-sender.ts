import { createHash } from 'node:crypto';
import type { Log } from '../log.ts';
import { composeMessage, type MessageParts } from './compose-message.ts';
import { type ClaimedEmail, EMAIL_RETRY_DELAYS_S, type EmailOutcome, type EmailQueue } from './email-queue.ts';
import type { Mailbox } from './email.ts';
import type { Smtp } from './open-smtp.ts';
import { startClaimLoop } from '../claim-loop.ts';
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
  const loop = startClaimLoop<ClaimedEmail, EmailOutcome>({
    claim: (count) => queue.claim(count, from.domain),
    renew: (running) => queue.renew(running),
    giveBack: (email) => queue.giveBack(email),
    work,
    async record(email, outcome) {
      const againAfterS = outcome.result === 'again' ? (retryDelaysS[email.tries - 1] ?? null) : null;
      await queue.record(email, { ...outcome, againAfterS });
      log.info({ email: email.id, result: outcome.result, detail: outcome.detail }, 'email attempted');
    },
    chores: [
      { everyMs: REAP_MS, first: true, work: reap },
      { everyMs: DELETE_MS, work: () => queue.deleteExpired() },
    ],
    renewMs: RENEW_MS,
    pollMs,
    atOnce: concurrency,
    unreachable: 'the outbox cannot be reached; trying again',
    log,
  });

  async function work(email: ClaimedEmail, breaking: AbortSignal): Promise<EmailOutcome | 'give back'> {
    const outcome = await attempt(email, breaking).catch((error: unknown): EmailOutcome => {
      log.error({ err: error, email: email.id }, 'an email could not be made');
      return { result: 'again', detail: (error as Error).message };
    });
    return outcome.result === 'again' && breaking.aborted ? 'give back' : outcome;
  }

  async function attempt(email: ClaimedEmail, breaking: AbortSignal): Promise<EmailOutcome> {
    const whole = await partsOf(email);
    if (typeof whole === 'string') return { result: 'refused', detail: whole };
    const sent = await transfer(email, whole, breaking);
    if (!sent.tooLarge || email.textWithoutAttachments === null || whole.files.length === 0) return sent;
    return transfer(email, { text: email.textWithoutAttachments, files: [] }, breaking);
  }

  async function transfer(email: ClaimedEmail, parts: MessageParts, breaking: AbortSignal) {
    const message = await composeMessage(email, from, parts);
    return smtp.send(message, () => queue.markHandedOver(email), breaking);
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

  return {
    async stop(drainMs) {
      await loop.stop(drainMs);
      smtp.close();
    },
  };
}
