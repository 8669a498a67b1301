import {
  type EmailContent,
  MAX_ATTACHMENT_BYTES,
  MAX_FILENAME_CHARACTERS,
  MAX_SUBJECT_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  type NewEmail,
  parseMailbox,
} from './email.ts';

/** An email ready for the outbox; `fault` says why it can never be sent, so that it is kept as failed, never lost. */
export interface PreparedEmail extends NewEmail {
  readonly fault: string | null;
}

/**
 * Makes any content safe to keep and to send: text of users cannot add headers, and what is too large is left out. Never
 * throws, because it runs inside the transaction that completes the work the email is about.
 */
export function prepareEmail({ key, userId, to, content }: NewEmail): PreparedEmail {
  const mailbox = parseMailbox(to);
  const fit = fitAttachments(content);
  return {
    key,
    userId,
    to: mailbox?.address ?? headerText(to, 254),
    content: {
      kind: content.kind,
      subject: headerText(content.subject, MAX_SUBJECT_CHARACTERS),
      text: bodyText(fit.text, MAX_TEXT_CHARACTERS),
      attachments: fit.attachments.map((file) => ({
        ...file,
        filename: headerText(file.filename, MAX_FILENAME_CHARACTERS).replaceAll(/[/\\]/g, '_'),
        contentType: headerText(file.contentType, 100),
      })),
      textWithoutAttachments: fit.textWithoutAttachments && bodyText(fit.textWithoutAttachments, MAX_TEXT_CHARACTERS),
    },
    fault:
      mailbox === null ? `${JSON.stringify(headerText(to, 254))} is not an address mail can be sent to` : fit.fault,
  };
}

type Fit = Pick<EmailContent, 'text' | 'attachments' | 'textWithoutAttachments'> & { readonly fault: string | null };

function fitAttachments({ text, attachments, textWithoutAttachments }: EmailContent): Fit {
  const bytes = attachments.reduce((sum, file) => sum + file.size, 0);
  if (bytes <= MAX_ATTACHMENT_BYTES) return { text, attachments, textWithoutAttachments, fault: null };
  if (textWithoutAttachments !== null) {
    return { text: textWithoutAttachments, attachments: [], textWithoutAttachments: null, fault: null };
  }
  const fault = `the attachments have ${bytes} bytes, more than the ${MAX_ATTACHMENT_BYTES} of an email`;
  return { text, attachments: [], textWithoutAttachments, fault };
}

/**
 * Text that is safe in a header: one line, no control characters, no unpaired surrogates, no encoded words, at most `max`
 * code points. User text ends up in subjects and file names, and a line break there would begin a header of its own.
 */
function headerText(text: string, max: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    // ASCII goes out as it is, so this would be decoded by the reader.
    .replaceAll('=?', '= ?')
    .trim();
  const points = [...line];
  return points.length <= max ? line : `${points.slice(0, max - 1).join('')}…`;
}

/** Text that PostgreSQL can keep and a mail can carry: no NUL and no unpaired surrogates, at most `max` UTF-16 units. */
function bodyText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '');
}
