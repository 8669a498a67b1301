import type { EmailAttempt, EmailRecord, EmailState } from './email.ts';

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
