import { MAX_ATTACHMENT_BYTES, type EmailAttachment, type EmailContent } from './email.ts';

export interface Report {
  /** As the user named it. */
  readonly collectionName: string;
  readonly file: EmailAttachment;
  /** Where the same report can be fetched. */
  readonly fetchUrl: string;
}

/** Brings the due diligence statement of a batch to its user; with the address alone where the file is too large. */
export function reportEmail({ collectionName, file, fetchUrl }: Report): EmailContent {
  const intro = `The EUDR due diligence statement for "${collectionName}" is ready.\n\n`;
  const fetched = `  GET ${fetchUrl}\n`;
  const withoutFile =
    `${intro}It has ${Math.ceil(file.size / 1_000_000)} MB, which is more than can be sent by email. ` +
    `Fetch it with your access token:\n${fetched}`;
  return {
    kind: 'report',
    subject: `EUDR due diligence statement: ${collectionName}`,
    text:
      file.size > MAX_ATTACHMENT_BYTES
        ? withoutFile
        : `${intro}It is attached as ${file.filename} (SHA-256 ${file.sha256}). It can also be fetched with your access token:\n${fetched}`,
    attachments: file.size > MAX_ATTACHMENT_BYTES ? [] : [file],
    textWithoutAttachments: withoutFile,
  };
}
