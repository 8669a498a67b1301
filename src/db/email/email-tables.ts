import type { ColumnType, Generated } from 'kysely';
import type { EmailKind, EmailResult, EmailState } from '../../email/email.ts';

/** The tables of the outbox. */
export interface EmailTables {
  readonly emails: EmailsTable;
  readonly email_attachments: EmailAttachmentsTable;
  readonly email_attempts: EmailAttemptsTable;
}

interface EmailsTable {
  id: Generated<string>;
  key: string;
  kind: EmailKind;
  user_id: string;
  recipient: string;
  subject: string;
  body: string;
  body_without_attachments: string | null;
  state: EmailState;
  /** Made with the first claim, the same ever after. */
  message_id: string | null;
  /** Goes up with every claim; together with `lease_owner` the fencing token. */
  attempt: Generated<number>;
  /** Claims since it was queued or queued again by hand; decides the next delay. */
  tries: Generated<number>;
  detail: string | null;
  /** Null unless pending. */
  next_attempt_at: ColumnType<Date | null, null | undefined, Date | null>;
  lease_owner: string | null;
  lease_until: Date | null;
  claimed_at: Date | null;
  /** Set in an attempt before the last bytes of the message leave. */
  handed_over_at: Date | null;
  created_at: ColumnType<Date, never, never>;
  /** Set while it is being sent when no attempt may follow this one, because its user was removed. */
  finished_at: Date | null;
}

interface EmailAttachmentsTable {
  email_id: string;
  seq: number;
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
  blob_id: string;
}

interface EmailAttemptsTable {
  email_id: string;
  number: number;
  started_at: Date;
  ended_at: ColumnType<Date, never, never>;
  result: EmailResult;
  detail: string;
}
