/**
 * Text that is safe in a header: one line, no control characters, no unpaired surrogates, no encoded words, at most `max`
 * code points. User text ends up in subjects and file names, and a line break there would begin a header of its own.
 */
export function headerText(text: string, max: number): string {
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
export function bodyText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '');
}
