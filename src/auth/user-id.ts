const USER_ID = /^[A-Za-z0-9][A-Za-z0-9._:@|+-]{0,127}$/;

/** Whether `text` may stand for a user: 1 to 128 letters, digits and `. _ : @ | + -`, beginning with a letter or digit. */
export function isUserId(text: unknown): text is string {
  return typeof text === 'string' && USER_ID.test(text);
}
