import type { EmailAttachment, EmailAttempt, EmailRecord, EmailResult, EmailState } from './email.ts';

/** Which attempt of which email: the fencing token of everything a sender writes. */
export interface EmailRun {
  readonly id: string;
  readonly attempt: number;
}

/** An email this process may send once, as long as it renews the lease. */
export interface ClaimedEmail extends EmailRun {
  /** 1 for the first claim since it was queued, by hand or otherwise. */
  readonly tries: number;
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly EmailAttachment[];
  readonly textWithoutAttachments: string | null;
  readonly createdAt: Date;
}

export interface EmailOutcome {
  readonly result: EmailResult;
  /** One sentence for the operator. */
  readonly detail: string;
}

/** What the sender needs of the database. A run whose lease was lost writes nothing and returns false. */
export interface EmailQueue {
  /** Leases up to `count` emails that are due, the longest waiting first; `domain` is that of new Message-IDs. */
  claim(count: number, domain: string): Promise<readonly ClaimedEmail[]>;
  /** Prolongs the leases. */
  renew(runs: readonly EmailRun[]): Promise<void>;
  /** To be called before the last bytes of a message leave: from now on a lost sender leaves the email `unknown`. */
  markHandedOver(run: EmailRun): Promise<boolean>;
  /** `againAfterS`: seconds to the next attempt; null ends the email, after `again` as failed. */
  record(run: EmailRun, outcome: EmailOutcome & { readonly againAfterS: number | null }): Promise<boolean>;
  /** As if the claim had not been made. */
  giveBack(run: EmailRun): Promise<boolean>;
  /** Ends the leases that ran out: `unknown` where the message was handed over, otherwise due again; returns how many. */
  reapExpired(): Promise<number>;
  /** The bytes of an attachment, or null when its blob is gone. */
  readBlob(id: string): Promise<Uint8Array | null>;
  /** Deletes what ended longer ago than it is kept; returns how many. */
  deleteExpired(): Promise<number>;
}

/**
 * Seconds from a failed attempt to the next one: 24 hours in all, after which the email has failed. Long enough for a
 * mail server's outage of a night, and for the hours that greylisting takes.
 */
export const EMAIL_RETRY_DELAYS_S: readonly number[] = [60, 300, 1_800, 7_200, 14_400, 28_800, 33_840];

/** The outbox as operators see and handle it. */
export interface EmailBox {
  /** The newest first. */
  listEmails(filter: { readonly state?: EmailState; readonly limit: number }): Promise<readonly EmailRecord[]>;
  /** Null when there is no such email. */
  showEmail(id: string): Promise<ShownEmail | null>;
  /** Makes the email due now, with the same content and Message-ID; says in which state it was when it may not be sent. */
  resendEmail(id: string): Promise<'queued' | 'not_found' | 'sending' | 'sent'>;
}

export interface ShownEmail {
  readonly email: EmailRecord;
  readonly text: string;
  readonly attachments: readonly { readonly filename: string; readonly size: number }[];
  readonly attempts: readonly EmailAttempt[];
}
