import type { EmailOutcome } from './email-queue.ts';

/** What of a failure of nodemailer's SMTP connection decides its meaning. */
export interface SmtpFailure extends Error {
  readonly code?: string;
  /** The command that was answered: `CONN`, `EHLO`, `STARTTLS`, `AUTH PLAIN`, `MAIL FROM`, `RCPT TO`, `DATA`, `API`. */
  readonly command?: string;
  /** The server's reply code, when there was a reply. */
  readonly responseCode?: number;
  readonly response?: string;
}

export type SmtpOutcome = EmailOutcome & {
  /** The server takes no message of this size. */
  readonly tooLarge: boolean;
};

/** Replies at commands before these concern the connection or the account, whatever the message: never final for it. */
const MESSAGE_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA'];
/** Replies that require TLS or a login (RFC 3207, RFC 4954): the operator's settings are wrong, not the message. */
const ACCOUNT_REPLIES = [530, 534, 535, 538];
const TOO_LARGE_REPLY = 552;

/**
 * What a failed attempt means. A reply of the server is certain. Without one everything depends on whether the end of
 * the message may have left: then the server may have taken it (RFC 1047), and only a person can decide to repeat it.
 */
export function outcomeOf(error: SmtpFailure, endMayHaveLeft: boolean): SmtpOutcome {
  const detail = describe(error);
  const { responseCode: reply = 0, command = '' } = error;
  if (reply >= 400 && reply < 600) {
    const final = reply >= 500 && MESSAGE_COMMANDS.includes(command) && !ACCOUNT_REPLIES.includes(reply);
    return { result: final ? 'refused' : 'again', detail, tooLarge: final && reply === TOO_LARGE_REPLY };
  }
  if (endMayHaveLeft)
    return { result: 'unknown', detail: `${detail}, after the message was handed over`, tooLarge: false };
  const size = error.code === 'EMESSAGE' && command === 'MAIL FROM';
  const impossible = size || (error.code === 'EENVELOPE' && command === 'API');
  return { result: impossible ? 'refused' : 'again', detail, tooLarge: size };
}

const MAX_DETAIL = 500;

function describe({ command = '', response, message }: SmtpFailure): string {
  const where = command === '' || command === 'API' ? '' : `${command}: `;
  const text = (response ?? message).replaceAll(/[\p{Cc}]+/gu, ' ').toWellFormed();
  return `${where}${text}`.slice(0, MAX_DETAIL);
}
