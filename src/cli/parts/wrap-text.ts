/** Columns that nearly every terminal has. */
export const TERMINAL_COLUMNS = 80;

/** A text in lines of at most `width` columns; a longer word stands alone. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
