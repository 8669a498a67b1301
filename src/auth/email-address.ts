/** One @, and nothing that has a meaning in headers or SMTP commands; whether mail can be sent there is found out by sending. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]{1,189}$/u;

/** Whether `text` has the shape of a mail address, without a name. */
export function isEmailAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}
