import MailComposer from 'nodemailer/lib/mail-composer';
import type { ClaimedEmail } from './email-queue.ts';
import type { Mailbox } from './email.ts';

/** A message as it goes over the wire, before dots are doubled. */
export interface ComposedMessage {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

/** What of an email is sent: with its files, or the text that stands in for them. */
export interface MessageParts {
  readonly text: string;
  readonly files: readonly { readonly filename: string; readonly contentType: string; readonly bytes: Uint8Array }[];
}

/** Builds the MIME message. The same email gives the same bytes every time: date and boundary are the email's own. */
export async function composeMessage(
  email: Pick<ClaimedEmail, 'id' | 'messageId' | 'to' | 'subject' | 'createdAt'>,
  from: Mailbox,
  { text, files }: MessageParts,
): Promise<ComposedMessage> {
  const composer = new MailComposer({
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: email.to },
    subject: email.subject,
    text,
    messageId: email.messageId,
    date: email.createdAt,
    baseBoundary: email.id,
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: files.map((file) => ({
      filename: file.filename,
      contentType: file.contentType,
      content: Buffer.from(file.bytes),
      contentDisposition: 'attachment',
    })),
    xMailer: false,
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from: from.address, to: email.to, bytes: await composer.compile().build() };
}
