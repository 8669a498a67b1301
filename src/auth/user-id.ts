import { createHash } from 'node:crypto';

const USER_ID = /^[A-Za-z0-9][A-Za-z0-9._:@|+-]{0,159}$/;
const SUBJECT = /^[A-Za-z0-9][A-Za-z0-9._:@|+-]{0,127}$/;

/** Whether `text` may stand for a user: 1 to 160 letters, digits and `. _ : @ | + -`, beginning with a letter or digit. */
export function isUserId(text: unknown): text is string {
  return typeof text === 'string' && USER_ID.test(text);
}

/** Whether `text` may be the subject of a JWT: a user id of at most 128 characters, so that its issuer fits in front. */
export function isSubject(text: unknown): text is string {
  return typeof text === 'string' && SUBJECT.test(text);
}

/** What the ids of users of outside issuers begin with. */
export const OUTSIDE_USER = 'jwt:';

/**
 * The user id of a subject of an outside issuer: `jwt:`, the first 16 hexadecimal digits of the SHA-256 of `iss`, and `sub`.
 * Two issuers never share a user, and no subject can be a local user's id (a UUID) or `bootstrap`.
 */
export function outsideUserId(issuer: string, subject: string): string {
  return `${OUTSIDE_USER}${createHash('sha256').update(issuer).digest('hex').slice(0, 16)}:${subject}`;
}

/** One @, and nothing that has a meaning in headers or SMTP commands; whether mail can be sent there is found out by sending. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]{1,189}$/u;

/** Whether `text` has the shape of a mail address, without a name. */
export function isEmailAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}
