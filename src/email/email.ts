import { domainToASCII } from 'node:url';

/** What an email is about. */
export type EmailKind = 'batch_stopped' | 'collection_changed' | 'delivery_failed' | 'deliveries_paused' | 'report';

export const EMAIL_STATES = ['pending', 'sending', 'sent', 'failed', 'unknown'] as const;
/**
 * `unknown`: the message was handed over and the server's answer was lost, so that it may have been delivered. It is not
 * sent again by itself.
 */
export type EmailState = (typeof EMAIL_STATES)[number];

/** A file that is kept as a blob and sent along. */
export interface EmailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly blobId: string;
  readonly size: number;
  /** Lower-case hex; what is sent has this digest or is not sent. */
  readonly sha256: string;
}

/** Everything a reader sees. It is kept when the email is queued and does not change afterwards. */
export interface EmailContent {
  readonly kind: EmailKind;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly EmailAttachment[];
  /** Sent in place of `text` when the attachments are larger than allowed; null: the email fails then. */
  readonly textWithoutAttachments: string | null;
}

/** An email to put into the outbox. */
export interface NewEmail {
  /** Names what happened, such as `delivery_failed/<delivery id>`; a second email with the same key is not made. */
  readonly key: string;
  readonly userId: string;
  readonly to: string;
  readonly content: EmailContent;
}

/** An email of the outbox, as operators see it. */
export interface EmailRecord {
  readonly id: string;
  readonly key: string;
  readonly kind: EmailKind;
  readonly userId: string;
  readonly to: string;
  readonly subject: string;
  readonly state: EmailState;
  readonly attempts: number;
  /** What came of the last attempt, or why there was none. */
  readonly detail: string | null;
  /** Null before the first attempt. */
  readonly messageId: string | null;
  readonly createdAt: Date;
  /** Null unless pending. */
  readonly nextAttemptAt: Date | null;
  readonly finishedAt: Date | null;
}

export interface EmailAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly result: EmailResult;
  readonly detail: string;
}

/** What came of one attempt; `again` is an attempt that certainly delivered nothing and can be repeated. */
export type EmailResult = 'sent' | 'again' | 'refused' | 'unknown';

/** Bytes of all attachments of an email together. */
export const MAX_ATTACHMENT_BYTES = 10_000_000;
/** Characters of the text of an email. */
export const MAX_TEXT_CHARACTERS = 100_000;
/** Characters of a subject, and of the name of a file. */
export const MAX_SUBJECT_CHARACTERS = 200;
export const MAX_FILENAME_CHARACTERS = 200;

/** A mail address and the name to show with it. */
export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
  /** What comes after the @, as DNS has it. */
  readonly domain: string;
}

const MAX_ADDRESS_CHARACTERS = 254;
/** One @, and nothing that has a meaning in headers or in SMTP commands: quoted local parts are not accepted. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?)$/u;

/** Reads `name@host` or `Name <name@host>`; null when it is neither. */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, bracketed] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  const domain = domainToASCII(ADDRESS.exec(address)?.[1] ?? '');
  if (domain === '' || domain.includes('..') || address.length > MAX_ADDRESS_CHARACTERS) return null;
  const shown = name?.trim().replaceAll('"', '') ?? '';
  return { name: shown === '' ? null : shown, address, domain };
}
